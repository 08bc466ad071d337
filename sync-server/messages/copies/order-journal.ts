import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import type { ServerLink } from '../../cluster/server-link.ts'
import { atMost } from '../../lib/at-most.ts'
import type { Storage } from '../../storage/storage.ts'
import { conversationKey, type OrderEntry, orderEntryKey, parseOrderEntry } from './order-entry.ts'

const conversationsRemembered = 50_000

/** The database of the journal. */
export const ordersDatabase = 'orders'

const placeGiven = z.object({ conversation: z.string(), orderedAt: z.number() })

/**
 * The `orders` database: gives messages their places, and finds them by place.
 * @param link to other servers that assign places in the same database by their own clocks: each
 * announces its places, so that no read is needed before assigning; while the link is down, each
 * reads
 * @param now epoch ms
 */
export function createOrderJournal(options: {
  storage: Storage
  link?: Pick<ServerLink, 'isUp' | 'publish' | 'listen' | 'onTurn'> | undefined
  now: () => number
}) {
  const { storage, link, now } = options
  const orders = storage.database<OrderEntry>(ordersDatabase)
  /** The last assigned place of a conversation, so that the database is read only once. */
  const lastGiven = new LRUCache<string, number>(atMost(conversationsRemembered))

  function raise(conversation: string, orderedAt: number) {
    lastGiven.set(conversation, Math.max(orderedAt, lastGiven.get(conversation) ?? 0))
  }

  const stopListening = [
    link?.listen('place-given', (data) => {
      const { conversation, orderedAt } = placeGiven.parse(data)
      raise(conversation, orderedAt)
    }),
    link?.onTurn(() => lastGiven.clear()),
  ]

  async function findLast(conversation: string): Promise<number> {
    const [last] = await orders.range({
      startkey: orderEntryKey(conversation, 8.64e14 - 1),
      endkey: orderEntryKey(conversation, 0),
      limit: 1,
      descending: true,
    })
    return (last && parseOrderEntry(last)?.orderedAt) ?? 0
  }

  async function lookUp(conversation: string): Promise<void> {
    raise(conversation, await findLast(conversation))
  }

  /**
   * The next place (`orderedAt`) after all in a prepared conversation; this process gives it to no
   * other message.
   */
  function assignOrder(oneId: string, otherId: string): number {
    const conversation = conversationKey(oneId, otherId)
    const orderedAt = Math.max(now(), (lastGiven.get(conversation) ?? 0) + 1)
    lastGiven.set(conversation, orderedAt)
    link?.publish('place-given', { conversation, orderedAt })
    return orderedAt
  }

  return {
    /** Reads the last place of two people's conversation, so that `assignOrder` can continue it. */
    async prepare(oneId: string, otherId: string): Promise<void> {
      const conversation = conversationKey(oneId, otherId)
      const isHeard = link?.isUp() ?? true
      if (!isHeard || !lastGiven.has(conversation)) await lookUp(conversation)
    },

    /** Another server assigned a place assigned here: rereads the conversation's last place. */
    async refresh(oneId: string, otherId: string): Promise<void> {
      await lookUp(conversationKey(oneId, otherId))
    },

    assignOrder,

    /** Records stored entries: later places go behind them. */
    recordGiven(entries: readonly OrderEntry[]) {
      for (const entry of entries) {
        const place = parseOrderEntry(entry)
        if (place) raise(conversationKey(entry.senderId, place.recipientId), place.orderedAt)
      }
    },

    /** The newest place known to this server in two people's conversation; 0 when unknown. */
    lastGiven: (oneId: string, otherId: string) =>
      lastGiven.get(conversationKey(oneId, otherId)) ?? 0,

    /** Entries of two people's conversation with `after < orderedAt <= upTo`, oldest first. */
    listBetween(range: {
      oneId: string
      otherId: string
      after: number
      upTo: number
      limit?: number
    }): Promise<OrderEntry[]> {
      const conversation = conversationKey(range.oneId, range.otherId)
      return orders.range({
        startkey: orderEntryKey(conversation, range.after + 1),
        endkey: orderEntryKey(conversation, range.upTo),
        ...(range.limit === undefined ? {} : { limit: range.limit }),
      })
    },

    /** Entries of two people's conversation with `orderedAt < before`, newest first. */
    listBefore(range: {
      oneId: string
      otherId: string
      before: number
      limit: number
    }): Promise<OrderEntry[]> {
      const conversation = conversationKey(range.oneId, range.otherId)
      return orders.range({
        startkey: orderEntryKey(conversation, Math.max(range.before - 1, 0)),
        endkey: orderEntryKey(conversation, 0),
        limit: range.limit,
        descending: true,
      })
    },

    close() {
      for (const stop of stopListening) stop?.()
    },
  }
}

export type OrderJournal = ReturnType<typeof createOrderJournal>
