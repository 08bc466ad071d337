import type { MessageDocument } from '../../../schema/message.ts'
import { findNewestIncoming } from '../storage/find-newest-message.ts'
import type { MessageCollection } from '../storage/open-database.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { countIncoming } from './count-unread.ts'
import { createRefresher } from './refresher.ts'

/** How far one opening of a conversation has been read. */
export interface ReadingState {
  /** The message that the unread line stands above. It need not be loaded. */
  firstUnreadId?: string
  /** How many messages of the other person nobody has had in sight, also those that are not loaded. */
  unseenCount: number
  /** The newest message of the other person that has come in since it was opened. */
  arrival?: MessageDocument
}

/** What somebody who is there has in sight. */
export interface VisibleRange {
  /** The `orderedAt` of the newest message of the other person among it; 0 where there is none. */
  upTo: number
  /** Does what comes in next come into sight? */
  holdsEnd: boolean
}

interface ReadingStart {
  readUpTo: number
  firstUnread: StoredMessage | undefined
}

/**
 * Keeps the unread line of an open conversation. It stands where the reading began, and stays there while one
 * reads; once all has been seen, the next message that comes in out of sight takes it along.
 */
export function createReading(options: {
  messages: MessageCollection
  peerId: string
  onChange: () => void
  onError: (cause: unknown) => void
}) {
  const { messages, peerId, onChange, onError } = options
  const state: ReadingState = { unseenCount: 0 }
  const places = { seenUpTo: 0, newest: 0, line: 0 }
  let holdsEnd = false

  const counter = createRefresher({
    onError,
    async run() {
      const { seenUpTo, newest } = places
      const isCounted = newest > seenUpTo
      const count = isCounted ? await countIncoming(messages, { peerId, above: seenUpTo }) : 0
      if (count === state.unseenCount) return
      state.unseenCount = count
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
    /** Begins where the last reading ended, with the line above `firstUnread`. Resolves when it has counted. */
    async begin({ readUpTo, firstUnread }: ReadingStart) {
      places.seenUpTo = Math.max(places.seenUpTo, readUpTo)
      places.newest = Math.max(places.newest, readUpTo)
      if (!firstUnread) return
      drawLine(firstUnread)
      const newest = await findNewestIncoming(messages, peerId)
      places.newest = Math.max(places.newest, newest?.orderedAt ?? 0)
      await counter.refresh()
    },
    /** Takes in what was written. What another device has read up to `readUpTo` is not new. */
    follow(stored: StoredMessage, readUpTo: number) {
      const { orderedAt, tally, senderId } = stored
      if (senderId !== peerId || orderedAt <= Math.max(places.seenUpTo, readUpTo)) return
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
    /** Whoever answers has read: the line goes. */
    dismissUnreadLine() {
      if (state.firstUnreadId === undefined) return
      delete state.firstUnreadId
      raiseSeen(places.newest)
      onChange()
    },
    close: counter.close,
  }
}
