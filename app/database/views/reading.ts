import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { type MessageCollection, ownerOf } from '../storage/collections.ts'
import { findNewestIncoming } from '../storage/find-newest-message.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { countIncoming, listMentions } from './read-conversations.ts'
import { createRefresher } from './refresher.ts'

/** The read progress of one open conversation. */
export interface ReadingState {
  /** The message below the unread line. It need not be loaded. */
  firstUnreadId?: string
  /** The number of the other person's messages not yet seen, including unloaded ones. */
  unseenCount: number
  /** The ids of those among them that mention this person, oldest first. */
  unseenMentions: readonly string[]
  /** The other person's newest message since opening. */
  arrival?: MessageDocument
}

/** What is visible to a person who is present. */
export interface VisibleRange {
  /** The `orderedAt` of the other person's newest visible message; 0 if none. */
  upTo: number
  /** Will the next incoming message be visible? */
  holdsEnd: boolean
}

interface ReadingStart {
  readUpTo: number
  firstUnread: StoredMessage | undefined
}

/**
 * Manages the unread line of an open conversation. The line starts at the first unread message and
 * stays during reading; once all is seen, the next message that arrives out of view moves it.
 */
export function createReading(options: {
  messages: MessageCollection
  peerId: string
  /** Is it a group? */
  canMention: () => boolean
  onChange: () => void
  onError: (cause: unknown) => void
}) {
  const { messages, peerId, canMention, onChange, onError } = options
  const state: ReadingState = { unseenCount: 0, unseenMentions: [] }
  const places = { seenUpTo: 0, newest: 0, line: 0 }
  let holdsEnd = false

  const counter = createRefresher({
    onError,
    async run() {
      const { seenUpTo, newest } = places
      const isCounted = newest > seenUpTo
      const asked = { peerId, above: seenUpTo }
      const count = isCounted ? await countIncoming(messages, asked) : 0
      const found = isCounted && canMention() ? await listMentions(messages, asked) : []
      const mentions = found.map(({ _id }) => _id)
      const { unseenMentions } = state
      if (count === state.unseenCount && mentions.join() === unseenMentions.join()) return
      state.unseenCount = count
      state.unseenMentions = mentions
      onChange()
    },
  })

  function raiseSeen(place: number) {
    if (place <= places.seenUpTo) return
    places.seenUpTo = place
    void counter.refresh()
  }

  function drawLine({ _id, orderedAt }: Pick<MessageDocument, '_id' | 'orderedAt'>) {
    state.firstUnreadId = _id
    places.line = orderedAt
  }

  return {
    state,
    /**
     * Starts where the last reading ended, with the line above `firstUnread`. Resolves after
     * counting.
     */
    async begin({ readUpTo, firstUnread }: ReadingStart) {
      places.seenUpTo = Math.max(places.seenUpTo, readUpTo)
      places.newest = Math.max(places.newest, readUpTo)
      if (!firstUnread) return
      drawLine(firstUnread)
      const newest = await findNewestIncoming(messages, peerId)
      places.newest = Math.max(places.newest, newest?.orderedAt ?? 0)
      await counter.refresh()
    },
    /** Applies writes. Messages that another device has read, up to `readUpTo`, are not new. */
    follow(stored: StoredMessage, readUpTo: number) {
      const { orderedAt, tally } = stored
      if (
        !isIncoming(stored, ownerOf(messages)) ||
        orderedAt <= Math.max(places.seenUpTo, readUpTo)
      )
        return
      if (tally !== peerId) return void counter.refresh()
      const isNewest = orderedAt > places.newest
      const isBeforeLine = state.firstUnreadId !== undefined && orderedAt < places.line
      const wasAllSeen = places.seenUpTo >= places.newest
      if (isNewest) {
        places.newest = orderedAt
        state.arrival = fromStoredMessage(stored)
      }
      if (holdsEnd) return raiseSeen(orderedAt)
      if (isBeforeLine || (isNewest && wasAllSeen)) drawLine(stored)
      void counter.refresh()
    },
    setVisibleRange(sight: VisibleRange) {
      holdsEnd = sight.holdsEnd
      raiseSeen(sight.upTo)
    },
    /** Replying implies reading: removes the line. */
    dismissUnreadLine() {
      if (state.firstUnreadId === undefined) return
      delete state.firstUnreadId
      raiseSeen(places.newest)
      onChange()
    },
    close: counter.close,
  }
}
