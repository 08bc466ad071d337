import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { type OrderEntry, parseOrderEntry } from '../../messages/order-entry.ts'
import type { OrderJournal } from '../../messages/order-journal.ts'
import type { OwnMessages } from './create-own-messages.ts'

export type History = ReturnType<typeof createHistory>

const entriesAtOnce = 200

/** A part of one conversation, seen by one of its two people: `after < orderedAt < before`. */
export interface Stretch {
  ownerId: string
  peerId: string
  after: number
  before: number
}

/** Walks conversations by the order that both people share. */
export function createHistory(options: { messages: OwnMessages; journal: OrderJournal }) {
  const { messages, journal } = options

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
      // An entry can be left over from a try that crashed: the message says itself where it stands.
      const isInPlace = copy?.peerId === peerId && copy.orderedAt === placeOf(entry)
      return copy && isInPlace && isAccepted(copy) ? [copy] : []
    })
  }

  return {
    walkBack,
    /** The newest `limit` of a stretch, oldest first. */
    async list(stretch: Stretch, limit: number): Promise<MessageDocument[]> {
      const found: MessageDocument[] = []
      for await (const page of walkBack(stretch, limit)) {
        found.push(...page)
        if (found.length >= limit) break
      }
      return found.slice(0, limit).reverse()
    },
  }
}

function placeOf(entry: OrderEntry): number {
  return parseOrderEntry(entry)?.orderedAt ?? 0
}
