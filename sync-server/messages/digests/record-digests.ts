import type { Document } from '../../storage/documents/documents.ts'
import type { Storage } from '../../storage/storage.ts'
import { digestsDatabase } from './digest-documents.ts'

/** Stores missing digests; keeps existing ones unchanged. */
export async function recordDigests(storage: Storage, digests: readonly Document[]): Promise<void> {
  if (digests.length === 0) return
  const ids = digests.map(({ _id }) => _id)
  await storage.database<Document>(digestsDatabase).update(ids, (stored) => ({
    put: digests.filter(({ _id }) => !stored.has(_id)),
    result: undefined,
  }))
}
