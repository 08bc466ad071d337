import type { ConversationCollection, MessageCollection } from './collections.ts'
import { findNewestMessage } from './find-newest-message.ts'
import { readDocuments } from './read-documents.ts'
import { subscribeToChanges } from './subscribe-to-changes.ts'

export interface Places {
  /**
   * The `orderedAt` of a message sent now: after everything this device has seen in the
   * conversation.
   * Never the clock's time, so a fast clock cannot put a message out of sight.
   */
  nextOrderedAt(peerId: string): Promise<number>
  close(): void
}

/**
 * Reads a conversation's newest place once, for the first message sent there, then follows every
 * write: a new read would wait for earlier writes, and delay the message.
 */
export function createPlaces({
  messages,
  conversations,
}: {
  messages: MessageCollection
  conversations: ConversationCollection
}): Places {
  const newest = new Map<string, number>()
  const readings = new Map<string, Promise<void>>()

  function raise(peerId: string, place: number) {
    newest.set(peerId, Math.max(newest.get(peerId) ?? 0, place))
  }

  function follow(peerId: string, place: number) {
    if (readings.has(peerId)) raise(peerId, place)
  }

  async function read(peerId: string) {
    const [message, found] = await Promise.all([
      findNewestMessage(messages, peerId),
      readDocuments(conversations, [peerId]),
    ])
    raise(peerId, Math.max(message?.orderedAt ?? 0, found.get(peerId)?.lastMessageAt ?? 0))
  }

  /** One shared read for all waiting messages; after a failure the next message retries. */
  function readOnce(peerId: string): Promise<void> {
    const known = readings.get(peerId)
    if (known !== undefined) return known
    const reading = read(peerId)
    readings.set(peerId, reading)
    reading.catch(() => readings.delete(peerId))
    return reading
  }

  const unsubscribes = [
    subscribeToChanges(messages, ({ documents }) => {
      for (const { peerId, orderedAt } of documents) follow(peerId, orderedAt)
    }),
    subscribeToChanges(conversations, ({ documents }) => {
      for (const { _id, lastMessageAt } of documents) follow(_id, lastMessageAt)
    }),
  ]

  return {
    async nextOrderedAt(peerId) {
      await readOnce(peerId)
      const place = (newest.get(peerId) ?? 0) + 1
      newest.set(peerId, place)
      return place
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
