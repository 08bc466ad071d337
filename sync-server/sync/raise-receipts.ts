import { applyReceipt } from '../../schema/apply-receipt.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'

/** What of an author's messages has arrived and been read, as `orderedAt`; from a reader's conversation. */
export interface Marks {
  deliveredUpTo: number
  readUpTo: number
}

const copiesAtOnce = 500

/**
 * Sets `delivered` and `read` on an author's own copies, with the server's time. Statuses never fall.
 * @param marksOf the reader's marks for a message; undefined leaves it as it is
 * @returns the ids of the copies that were there
 */
export async function raiseReceipts(options: {
  storage: Storage
  authorId: string
  messageIds: readonly string[]
  marksOf: (message: MessageDocument) => Marks | undefined
  now: number
}): Promise<Set<string>> {
  const { storage, authorId, messageIds, marksOf, now } = options
  const copies = storage.database<MessageDocument>(nameMessagesDatabase(authorId))
  const found = new Set<string>()
  for (let from = 0; from < messageIds.length; from += copiesAtOnce) {
    const ids = messageIds.slice(from, from + copiesAtOnce)
    const { result } = await copies.update(ids, (stored) => {
      const sent = [...stored.values()].filter(
        (message) => message.senderId === authorId && isAccepted(message),
      )
      const put = sent.flatMap((message) => {
        const marks = marksOf(message)
        const raised = marks ? applyMarks(message, marks, now) : message
        return raised === message ? [] : [raised]
      })
      return { put, result: sent.map(({ _id }) => _id) }
    })
    for (const id of result) found.add(id)
  }
  return found
}

function applyMarks(message: MessageDocument, marks: Marks, at: number): MessageDocument {
  const { deliveredUpTo, readUpTo } = marks
  const isDelivered = message.orderedAt <= Math.max(deliveredUpTo, readUpTo)
  const delivered = isDelivered ? applyReceipt(message, { status: 'delivered', at }) : message
  return message.orderedAt <= readUpTo ? applyReceipt(delivered, { status: 'read', at }) : delivered
}
