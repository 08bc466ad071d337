import { must } from '../../schema/must.ts'
import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import type { OrderJournal } from './create-order-journal.ts'
import { parseOrderEntry } from './order-entry.ts'
import { type Marks, raiseReceipts } from './raise-receipts.ts'

/** A reader's marks that rise in one conversation; `after` is where the lower of those that rise stood. */
export interface Rise {
  readerId: string
  authorId: string
  after: number
  marks: Marks
}

const entriesAtOnce = 2_000

/**
 * Sets a reader's receipts on the author's copies. Nothing is told between people of whom one blocks the other, and what
 * was read meanwhile is not told after it either: whoever ends a block does not want to say what they did during it.
 * @param handled messages that need no second look
 * @returns the messages that are done
 */
export async function giveReceipts(options: {
  storage: Storage
  journal: OrderJournal
  relations: Pick<Relations, 'canReach'>
  rise: Rise
  handled: ReadonlySet<string>
  now: number
}): Promise<Set<string>> {
  const { storage, journal, relations, rise, handled, now } = options
  const { readerId, authorId, after, marks } = rise
  const done = new Set<string>()
  const reaches = await Promise.all([
    relations.canReach(authorId, readerId),
    relations.canReach(readerId, authorId),
  ])
  if (reaches.some((reach) => reach !== 'delivered')) return done
  const upTo = Math.max(marks.deliveredUpTo, marks.readUpTo)
  for (let from = after; from < upTo; ) {
    const range = { oneId: readerId, otherId: authorId, after: from, upTo, limit: entriesAtOnce }
    const entries = await journal.listBetween(range)
    const messageIds = entries
      .filter(({ senderId, isHeld }) => senderId === authorId && !isHeld)
      .flatMap(({ messageId }) => (handled.has(messageId) ? [] : [messageId]))
    // An entry can be left over from a try that crashed; the message says itself where it stands.
    const marksOf = ({ orderedAt, recipientId }: { orderedAt: number; recipientId: string }) =>
      recipientId === readerId && orderedAt > after && orderedAt <= upTo ? marks : undefined
    const found = await raiseReceipts({ storage, authorId, messageIds, marksOf, now })
    for (const id of found) done.add(id)
    const last = entries.length === entriesAtOnce ? entries.at(-1) : undefined
    from = last ? must(parseOrderEntry(last), 'a place').orderedAt : upTo
  }
  return done
}
