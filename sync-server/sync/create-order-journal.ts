import { LRUCache } from 'lru-cache'
import type { Storage } from '../storage/create-storage.ts'
import {
  nameConversation,
  nameOrderEntry,
  type OrderEntry,
  parseOrderEntry,
} from './order-entry.ts'

/** What asks for a place in its conversation. */
export interface Unplaced {
  messageId: string
  senderId: string
  recipientId: string
  isHeld: boolean
}

const conversationsRemembered = 50_000

/**
 * The `orders` database: gives messages their place, and finds them by it.
 * @param isShared other servers give places in the same database, by clocks of their own
 * @param now epoch ms
 */
export function createOrderJournal(options: {
  storage: Storage
  isShared: boolean
  now: () => number
}) {
  const { storage, isShared, now } = options
  const orders = storage.database<OrderEntry>('orders')
  /** The last place given out in a conversation, so that the database is asked once only. */
  const lastGiven = new LRUCache<string, number>({ max: conversationsRemembered })

  async function findLast(conversation: string): Promise<number> {
    const [last] = await orders.range({
      startkey: nameOrderEntry(conversation, 8.64e14 - 1),
      endkey: nameOrderEntry(conversation, 0),
      limit: 1,
      descending: true,
    })
    return (last && parseOrderEntry(last)?.orderedAt) ?? 0
  }

  function give(conversation: string): number {
    const orderedAt = Math.max(now(), (lastGiven.get(conversation) ?? 0) + 1)
    lastGiven.set(conversation, orderedAt)
    return orderedAt
  }

  /** Makes entries; what finds its place taken by another server, and what follows it there, comes back. */
  async function enter(messages: readonly Unplaced[], placed: Map<string, OrderEntry>) {
    const wanted = messages.map((message) => {
      const conversation = nameConversation(message.senderId, message.recipientId)
      return { message, conversation, entry: toEntry(message, conversation, give(conversation)) }
    })
    const { result } = await orders.update<typeof wanted>(
      wanted.map(({ entry }) => entry._id),
      (stored) => {
        const late = new Set<string>()
        for (const { entry, conversation } of wanted) {
          if (stored.has(entry._id)) late.add(conversation)
        }
        const free = wanted.filter(({ conversation }) => !late.has(conversation))
        return { put: free.map(({ entry }) => entry), result: free }
      },
    )
    for (const { message, entry } of result) placed.set(message.messageId, entry)
    const rest = wanted.filter(({ message }) => !placed.has(message.messageId))
    for (const { conversation } of rest) lastGiven.delete(conversation)
    return rest.map(({ message }) => message)
  }

  return {
    /**
     * Gives each message a place behind all that its conversation has, in the order of the list, and stores it.
     * @returns the entries by message id
     */
    async place(messages: readonly Unplaced[]): Promise<Map<string, OrderEntry>> {
      const placed = new Map<string, OrderEntry>()
      let rest = messages
      while (rest.length > 0) {
        const conversations = rest.map((one) => nameConversation(one.senderId, one.recipientId))
        await Promise.all(
          [...new Set(conversations)].map(async (conversation) => {
            if (!isShared && lastGiven.has(conversation)) return
            const found = await findLast(conversation)
            lastGiven.set(conversation, Math.max(found, lastGiven.get(conversation) ?? 0))
          }),
        )
        rest = await enter(rest, placed)
      }
      return placed
    },

    /** The newest place that this server knows of in two people's conversation; 0 when it knows none. */
    lastGiven: (oneId: string, otherId: string) =>
      lastGiven.get(nameConversation(oneId, otherId)) ?? 0,

    /** Entries of two people's conversation with `after < orderedAt <= upTo`, oldest first. */
    listBetween(range: {
      oneId: string
      otherId: string
      after: number
      upTo: number
      limit?: number
    }): Promise<OrderEntry[]> {
      const conversation = nameConversation(range.oneId, range.otherId)
      return orders.range({
        startkey: nameOrderEntry(conversation, range.after + 1),
        endkey: nameOrderEntry(conversation, range.upTo),
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
      const conversation = nameConversation(range.oneId, range.otherId)
      return orders.range({
        startkey: nameOrderEntry(conversation, Math.max(range.before - 1, 0)),
        endkey: nameOrderEntry(conversation, 0),
        limit: range.limit,
        descending: true,
      })
    },
  }
}

export type OrderJournal = ReturnType<typeof createOrderJournal>

function toEntry(message: Unplaced, conversation: string, orderedAt: number): OrderEntry {
  return {
    _id: nameOrderEntry(conversation, orderedAt),
    messageId: message.messageId,
    senderId: message.senderId,
    ...(message.isHeld ? { isHeld: true as const } : {}),
  }
}
