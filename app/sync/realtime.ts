import type { Platform } from './platform/platform.ts'
import { type ChangeFeed, createChangeFeed } from './realtime/change-feed.ts'
import { createFrontSignal } from './realtime/front-signal.ts'
import { createLazyLine, type LazyLineOptions } from './realtime/lazy-line.ts'
import type { PresenceOfPeople } from './realtime/presence.ts'
import { giveServerEvent, type ServerEventParts } from './realtime/server-events.ts'
import { createTypingSignal } from './realtime/typing-signal.ts'
import { createWatchedPeople } from './realtime/watched-people.ts'
import type { SyncOptions } from './replication/sync.ts'
import { createPushLine } from './replication/transport/push-line.ts'

/** The line to the server, with all that goes over it. */
export interface Realtime {
  /** The server's changes, for replication. */
  feed: ChangeFeed
  /** A `fetch` whose pushes go over the line while the server takes them. */
  fetch: typeof fetch
  typing(peerId: string): void
  stopTyping(peerId: string): void
  /** A screen shows this person. @returns ends it */
  watchPerson(userId: string): () => void
  /** A request did not reach the server: the line may be dead, too. */
  doubt(): void
  close(): void
}

/** Joins the line to what speaks over it; each of the server's events goes to the part it concerns. */
export function createRealtime(options: {
  userId: string
  platform: Platform
  untilDrawn: LazyLineOptions['untilDrawn']
  serverUrl: string
  readToken: () => string | undefined
  line: SyncOptions['line']
  /** The parts beside the line that hear of the server's events. */
  listeners: Pick<ServerEventParts, 'settings' | 'blocked' | 'expectMessage'> & {
    presence: Pick<PresenceOfPeople, 'handle' | 'forget'>
  }
  onUp: () => void
  onDown: LazyLineOptions['onDown']
  onOutdated: LazyLineOptions['onOutdated']
  onSignedOut: () => void
  onError: (cause: unknown) => void
}): Realtime {
  const { userId, platform, listeners, onUp, onDown } = options
  const { presence } = listeners
  const feed = createChangeFeed({ send: (event) => line.send(event) })
  const pushes = createPushLine({
    send: (event) => line.send(event),
    fetch: platform.fetch,
    now: platform.now,
    line: options.line,
  })
  const line = createLazyLine({
    platform,
    untilDrawn: options.untilDrawn,
    serverUrl: options.serverUrl,
    readToken: options.readToken,
    onError: options.onError,
    onOpen(speaksChanges) {
      if (speaksChanges) feed.open()
      line.send({ event: 'user-online', data: userId })
      onUp()
    },
    onEvent(event) {
      pushes.recordFrame()
      giveServerEvent(event, { ...listeners, feed, watched, front, pushes })
    },
    onDown(why) {
      onDown(why)
      for (const part of [feed, pushes, presence, watched, front]) part.forget()
    },
    onOutdated: options.onOutdated,
    onSignedOut: options.onSignedOut,
  })
  const typing = createTypingSignal({ send: line.send })
  const watched = createWatchedPeople({ send: line.send })
  const front = createFrontSignal({ send: line.send, page: platform.page })

  return {
    feed,
    fetch: pushes.fetch,
    typing: typing.typing,
    stopTyping: typing.stopTyping,
    watchPerson: watched.watch,
    doubt: line.doubt,
    close() {
      for (const part of [line, typing, watched, front]) part.close()
    },
  }
}
