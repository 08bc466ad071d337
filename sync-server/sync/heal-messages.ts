import { mergeMessages } from '../../schema/merge-messages.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { copyForAuthor } from '../../schema/peer-copy.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import { finishMessages } from './finish-messages.ts'
import { type OrderEntry, parseOrderEntry } from './order-entry.ts'

/**
 * Completes an author's messages to one reader: an own copy that is missing, or still says that it failed, is made from
 * the reader's copy; both conversations name the newest. Complete ones stay as they are.
 * @returns how many own copies were made good, and the entries of which no copy is there (yet)
 */
export async function healMessages(options: {
  storage: Storage
  authorId: string
  readerId: string
  entries: readonly OrderEntry[]
  now: number
}): Promise<{ healed: number; without: OrderEntry[] }> {
  const { storage, authorId, readerId, entries, now } = options
  const ids = entries.map(({ messageId }) => messageId)
  const readersCopies = await storage
    .database<MessageDocument>(nameMessagesDatabase(readerId))
    .read(entries.flatMap(({ messageId, isHeld }) => (isHeld ? [] : [messageId])))
  const arrived = [...readersCopies.values()].filter((copy) => copy.senderId === authorId)
  const own = storage.database<MessageDocument>(nameMessagesDatabase(authorId))
  const { result } = await own.update(ids, (stored) => {
    const put = arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      return before && isAccepted(before) ? [] : [completeOwnCopy(before, copy)]
    })
    const current = new Map([...stored, ...put.map((message) => [message._id, message] as const)])
    return { put, result: { healed: put.length, current } }
  })
  const copies = entries.flatMap((entry) => {
    const message = result.current.get(entry.messageId)
    const isInPlace = message?.orderedAt === parseOrderEntry(entry)?.orderedAt
    return message && isInPlace && isAccepted(message)
      ? [{ message, isHeld: entry.isHeld === true }]
      : []
  })
  await finishMessages({ storage, authorId, copies, now })
  const without = entries.filter(
    ({ messageId }) => !readersCopies.has(messageId) && !result.current.has(messageId),
  )
  return { healed: result.healed, without }
}

function completeOwnCopy(before: MessageDocument | undefined, readersCopy: MessageDocument) {
  const { _rev, refused, ...copy } = readersCopy as MessageDocument & { _rev?: string }
  const acceptedAt = copy.statusHistory[0]?.timestamp ?? copy.orderedAt
  const own = copyForAuthor(copy, acceptedAt)
  return before ? mergeMessages(before, own) : own
}
