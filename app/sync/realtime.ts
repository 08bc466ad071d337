import type { ClientEvent, ServerEvent } from '../../schema/api/socket-events.ts'
import { unreachable } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import type { TimedSettings } from '../../schema/settings.ts'
import { createFetchedPart, type FetchedPartOptions } from './platform/fetched-part.ts'
import type { Page, Platform } from './platform/platform.ts'
import { type ChangeFeed, createChangeFeed } from './realtime/change-feed.ts'
import type { LiveLineOptions } from './realtime/live-line.ts'
import type { PresenceOfPeople } from './realtime/presence.ts'
import type { Socket } from './realtime/socket.ts'
import type { SyncOptions } from './replication/sync.ts'
import { createPushLine } from './replication/transport/push-line.ts'

/** Batches people who scroll by; the server gets an update at most this often. */
const tellEveryMs = 500

const gatherMs = 50

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
  listeners: Pick<ServerEventParts, 'settings' | 'blocked' | 'expectMessage' | 'lookAtGroups'> & {
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

type LazyLineOptions = LiveLineOptions &
  Pick<FetchedPartOptions<Socket>, 'untilDrawn'> & { onError: (cause: unknown) => void }

/** The line of `createLiveLine`; loads its code after the page has drawn the device's data. */
function createLazyLine({ untilDrawn, onError, ...options }: LazyLineOptions): Socket {
  const line = createFetchedPart({
    platform: options.platform,
    untilDrawn,
    onMissing: onError,
    async load() {
      const { createLiveLine } = await import('./realtime/live-line.ts')
      return () => createLiveLine(options)
    },
  })
  return {
    send: (event) => line.get()?.send(event) ?? false,
    doubt: () => line.get()?.doubt(),
    close: () => void line.close().catch(onError),
  }
}

/**
 * Tells a server that asks whether the person looks at this tab: devices of people who look at none
 * are pushed to.
 */
export function createFrontSignal(options: {
  send: (event: ClientEvent) => boolean
  page: Pick<Page, 'isVisible' | 'subscribe'>
}) {
  const { send, page } = options
  const state = { isAsked: false, told: undefined as boolean | undefined }

  function tell() {
    const isFront = page.isVisible()
    if (!state.isAsked || isFront === state.told) return
    if (send({ event: 'front', data: isFront })) state.told = isFront
  }

  const stopListening = page.subscribe((event) => {
    if (event === 'front' || event === 'back') tell()
  })

  return {
    handle(event: ServerEvent) {
      if (event.event !== 'front-wanted') return
      // Who asks knows nothing: a socket takes over from polls without an outage between them.
      Object.assign(state, { isAsked: true, told: undefined })
      tell()
    },
    /** A new connection has to ask again. */
    forget: () => void Object.assign(state, { isAsked: false, told: undefined }),
    close: stopListening,
  }
}

/** Sends typing signals to the other person: at most every 300 ms, and "stopped" after 1 s. */
export function createTypingSignal(options: { send: (event: ClientEvent) => void }): {
  typing(peerId: string): void
  stopTyping(peerId: string): void
  close(): void
} {
  const { send } = options
  const writing = new Map<string, { saidAt: number; timer: ReturnType<typeof setTimeout> }>()

  function stopTyping(recipientId: string) {
    const state = writing.get(recipientId)
    if (!state) return
    clearTimeout(state.timer)
    writing.delete(recipientId)
    send({ event: 'stop-typing', data: { recipientId } })
  }

  return {
    typing(recipientId) {
      const before = writing.get(recipientId)
      clearTimeout(before?.timer)
      const now = performance.now()
      const isDue = !before || now - before.saidAt >= limits.typingEmitEveryMs
      if (isDue) send({ event: 'typing', data: { recipientId } })
      writing.set(recipientId, {
        saidAt: isDue ? now : before.saidAt,
        timer: setTimeout(() => stopTyping(recipientId), limits.typingStopAfterMs),
      })
    },
    stopTyping,
    close() {
      for (const { timer } of writing.values()) clearTimeout(timer)
      writing.clear()
    },
  }
}

/**
 * The people currently on screen. Reports them only to a server that limits presence to some
 * people.
 */
export function createWatchedPeople(options: { send: (event: ClientEvent) => boolean }) {
  const { send } = options
  /** How many places show each person, the most recent last. */
  const shown = new Map<string, number>()
  const state = {
    isAsked: false,
    told: '',
    toldAt: Number.NEGATIVE_INFINITY,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  }

  function tell() {
    state.timer = undefined
    const userIds = [...shown.keys()].slice(-limits.watchedPeopleMax)
    const key = [...userIds].sort().join()
    if (key === state.told) return
    if (!send({ event: 'watch-people', data: { userIds } })) return
    state.told = key
    state.toldAt = performance.now()
  }

  function request() {
    if (!state.isAsked) return
    // Not the time of day: after a clock that was set back, the wait would be as long as that.
    const waitMs = state.toldAt + tellEveryMs - performance.now()
    state.timer ??= setTimeout(tell, Math.max(gatherMs, waitMs))
  }

  /** A new connection starts without a list. */
  function forget() {
    clearTimeout(state.timer)
    Object.assign(state, { isAsked: false, told: '', timer: undefined })
  }

  return {
    /** Records that a screen shows a person. @returns ends it */
    watch(userId: string): () => void {
      const before = shown.get(userId) ?? 0
      shown.delete(userId)
      shown.set(userId, before + 1)
      if (before === 0) request()
      return () => {
        const left = (shown.get(userId) ?? 0) - 1
        if (left > 0) shown.set(userId, left)
        else if (shown.delete(userId)) request()
      }
    },
    handle(event: ServerEvent) {
      if (event.event !== 'presence-scope') return
      forget()
      state.isAsked = event.data === 'some'
      request()
    },
    forget,
    close: forget,
  }
}

type GroupChanged = Extract<ServerEvent, { event: 'group-changed' }>['data']

interface Listener {
  handle(event: ServerEvent): void
}

interface ServerEventParts {
  feed: Listener
  presence: Listener
  watched: Listener
  front: Listener
  pushes: Listener
  /** Called with a message's id that replication is about to bring. */
  expectMessage(messageId: string): void
  /** Called when there is something new in a group. */
  lookAtGroups(told: GroupChanged): void
  settings: { take(heard: TimedSettings): void }
  blocked: { refresh(): void }
}

/**
 * Gives each event of the server to the parts that it concerns: the one place where a new event is
 * assigned, and the type check demands it.
 */
function giveServerEvent(event: ServerEvent, parts: ServerEventParts): void {
  const { feed, presence, watched, front, pushes, expectMessage, settings, blocked } = parts
  switch (event.event) {
    case 'changes':
    case 'changes-missed':
    case 'here':
      feed.handle(event)
      break
    case 'presence-scope':
    case 'users-online':
    case 'presence-changed':
      presence.handle(event)
      watched.handle(event)
      break
    case 'user-typing':
    case 'user-stop-typing':
      presence.handle(event)
      break
    case 'front-wanted':
      front.handle(event)
      break
    case 'pushes-taken':
    case 'push-answered':
      pushes.handle(event)
      break
    case 'receive-message':
      presence.handle(event)
      expectMessage(event.data.messageId)
      break
    case 'settings-changed':
      settings.take(event.data)
      break
    case 'block-changed':
      blocked.refresh()
      break
    case 'group-changed':
      parts.lookAtGroups(event.data)
      break
    // For other clients: this app learns the same from replication.
    case 'message-refused':
    case 'whatsapp-message-received':
    case 'whatsapp-status-update':
    case 'whatsapp-webhook-processed':
    case 'whatsapp-contact':
      break
    default:
      unreachable(event)
  }
}
