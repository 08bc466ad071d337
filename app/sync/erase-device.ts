import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import { listOwnTexts, namelessKeys } from './platform/own-texts.ts'

/**
 * Deletes all of a person's data on this device: every collection, replication metadata, drafts.
 */
export async function eraseDevice(options: {
  database: PetrelDatabase
  userId: string
  texts?: KeyValueStorage
}): Promise<void> {
  const { database, userId, texts } = options
  if (texts) {
    for (const key of [...listOwnTexts(texts, userId), ...namelessKeys]) texts.removeItem(key)
  }
  await database.remove()
}
