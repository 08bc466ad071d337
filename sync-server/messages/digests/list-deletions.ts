import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import {
  type DeletionDigest,
  deletionKey,
  digestsDatabase,
  idsBeneath,
} from './digest-documents.ts'
import type { View } from './tallies.ts'

const copiesAtOnce = 500

/** The messages behind a place that are deleted in their owner's copies. */
export async function listDeletions(
  storage: Storage,
  { ownerId, peerId, after }: View & { after: number },
): Promise<DeletionDigest[]> {
  const prefix = deletionKey(ownerId, peerId, '')
  const digests = await storage.database<DeletionDigest>(digestsDatabase).range(idsBeneath(prefix))
  const wanted = digests.filter(({ orderedAt }) => orderedAt > after)
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  const found: DeletionDigest[] = []
  for (let from = 0; from < wanted.length; from += copiesAtOnce) {
    const page = wanted.slice(from, from + copiesAtOnce)
    const copies = await own.read(page.map(({ messageId }) => messageId))
    found.push(
      ...page.filter(({ messageId }) => {
        const copy = copies.get(messageId)
        return copy?.deletedAt !== undefined && isAccepted(copy)
      }),
    )
  }
  return found
}
