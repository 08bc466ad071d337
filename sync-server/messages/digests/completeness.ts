import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { Document } from '../../storage/documents/documents.ts'
import type { Storage } from '../../storage/storage.ts'
import { conversationKey, type OrderEntry, orderEntryKey } from '../order/order-entry.ts'
import { ordersDatabase } from '../order/order-journal.ts'
import { completeKey, digestsDatabase, toDeletionDigest, toStarDigest } from './digest-documents.ts'
import { recordDigests } from './record-digests.ts'

/**
 * Tracks whether digests cover all of a person's data: not what earlier versions wrote, or what was
 * lost.
 */
export function createCompleteness({ storage }: { storage: Storage }) {
  const digests = storage.database<Document>(digestsDatabase)
  const orders = storage.database<OrderEntry>(ordersDatabase)

  /** The messages among these that came with a file, by their places. */
  async function findFiles(deleted: readonly MessageDocument[]) {
    const entries = await orders.read(deleted.map(keyOf))
    return new Set(
      deleted.flatMap((message) => {
        const entry = entries.get(keyOf(message))
        return entry?.hasFile && entry.messageId === message._id ? [message._id] : []
      }),
    )
  }

  return {
    async isComplete(ownerId: string): Promise<boolean> {
      const _id = completeKey(ownerId)
      return (await digests.read([_id])).has(_id)
    },

    /** Call for a new person, and once all copies of a person are recorded. */
    async setComplete(ownerId: string): Promise<void> {
      await digests.insert({ _id: completeKey(ownerId) })
    },

    /** Creates the missing digests of these copies. */
    async record(ownerId: string, copies: readonly MessageDocument[]): Promise<void> {
      const accepted = copies.filter(isAccepted)
      const starred = accepted.filter(({ isStarred }) => isStarred)
      const deleted = accepted.filter(({ deletedAt }) => deletedAt !== undefined)
      const files = await findFiles(deleted)
      await recordDigests(storage, [
        ...starred.map((message) => toStarDigest(ownerId, message)),
        ...deleted.map((message) => {
          return { ...toDeletionDigest(message), hasFile: files.has(message._id) }
        }),
      ])
    },
  }
}

function keyOf({ senderId, recipientId, orderedAt }: MessageDocument): string {
  return orderEntryKey(conversationKey(senderId, recipientId), orderedAt)
}
