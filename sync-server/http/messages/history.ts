import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import { type OrderEntry, placeOf } from '../../messages/copies/order-entry.ts'
import type { OrderJournal } from '../../messages/copies/order-journal.ts'
import { createPage, type Page } from './answer-page.ts'
import type { OwnMessages } from './own-messages.ts'

export type History = ReturnType<typeof createHistory>

const entriesAtOnce = 100
/** An answer may fill up sooner: a small page wastes few reads. */
const listedAtOnce = 50

/** A part of one conversation, as one of its two people sees it: `after < orderedAt < before`. */
export interface Stretch {
  ownerId: string
  peerId: string
  after: number
  before: number
}

/**
 * Walks conversations in the order that both people share.
 * @param scans the queue for scans of whole conversations
 */
export function createHistory(options: {
  messages: OwnMessages
  journal: OrderJournal
  scans: FairQueue
}) {
  const { messages, journal, scans } = options

  /** The owner's copies in pages of at most `limit`, newest first. */
  async function* walkBack(
    stretch: Stretch,
    limit = entriesAtOnce,
  ): AsyncGenerator<MessageDocument[]> {
    const { ownerId, peerId, after } = stretch
    for (let before = stretch.before; ; ) {
      const people = { oneId: ownerId, otherId: peerId }
      const entries = await journal.listBefore({ ...people, before, limit })
      const within = entries.filter((entry) => placeOf(entry) > after)
      yield await readCopies(stretch, within)
      const last = within.at(-1)
      if (!last || within.length < limit) return
      before = placeOf(last)
    }
  }

  async function readCopies({ ownerId, peerId }: Stretch, entries: readonly OrderEntry[]) {
    const ids = entries.flatMap(({ messageId, senderId, isHeld }) =>
      isHeld && senderId !== ownerId ? [] : [messageId],
    )
    const copies = await messages.read(ownerId, ids)
    return entries.flatMap((entry) => {
      const copy = copies.get(entry.messageId)
      // A crashed attempt can leave an entry behind: the message's own place decides.
      const isInPlace = copy?.peerId === peerId && copy.orderedAt === placeOf(entry)
      return copy && isInPlace && isAccepted(copy) && !copy.isHidden ? [copy] : []
    })
  }

  return {
    /** All of a range in pages, newest first. */
    walk: (stretch: Stretch, signal: AbortSignal) =>
      scans.walk({ key: stretch.ownerId, signal }, walkBack(stretch)),

    /** The newest `limit` of a range, oldest first; fewer when they are too long for one answer. */
    async list(stretch: Stretch, limit: number): Promise<Page> {
      const found = createPage({ limit })
      for await (const page of walkBack(stretch, Math.min(limit, listedAtOnce))) {
        found.add(page)
        if (found.isFull()) break
      }
      const { messages: newestFirst, isCut } = found.read()
      return { messages: newestFirst.reverse(), isCut }
    },
  }
}
