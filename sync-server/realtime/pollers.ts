import { pollLimits } from '../../schema/api/poll.ts'
import {
  type ClientEvent,
  type ServerEvent,
  type SocketWord,
  socketCloseCodes,
} from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import type { Caller } from '../access/token-keeper.ts'
import type { Connection, Connections } from './connections.ts'
import type { EventHandler } from './event-handler.ts'
import type { FrameBudgets } from './frame-budgets.ts'
import type { Fronts } from './fronts.ts'
import type { Presence } from './presence.ts'
import type { PresenceAnnouncer } from './presence-announcer.ts'

/** A device that does not fetch its events misses further ones, and learns by replication (P7). */
const queuedMaxCharacters = 64 * 1024

/** A browser with more tabs gets no hints in some; their messages arrive by replication (P7). */
const pollersPerPersonMax = 32

export type Pollers = ReturnType<typeof createPollers>

/** A person, and one of their lines of events. */
export interface PollAddress {
  caller: Caller
  pollerId: string
}

/**
 * The socket's events for devices without sockets. Each waiting poll counts as a device for
 * presence, whose grace covers the gap between polls.
 */
export function createPollers(options: {
  connections: Connections
  presence: Presence
  announcer: PresenceAnnouncer
  fronts: Pick<Fronts, 'welcome' | 'forget'>
  handleEvent: EventHandler
  frameBudgets: FrameBudgets
}) {
  const { connections, presence, announcer, fronts, handleEvent, frameBudgets } = options
  const byPerson = new Map<string, Map<string, Poller>>()
  const state = { isClosed: false }

  function find({ caller, pollerId }: PollAddress): Poller | undefined {
    return byPerson.get(caller.userId)?.get(lineKey({ caller, pollerId }))
  }

  /** @returns undefined when the person has too many */
  function open(address: PollAddress, understands: readonly SocketWord[]): Poller | undefined {
    const { userId } = address.caller
    const own = byPerson.get(userId) ?? new Map<string, Poller>()
    if (own.size >= pollersPerPersonMax) return undefined
    const poller = createPoller({
      caller: address.caller,
      understands,
      onGone() {
        connections.remove(poller.connection)
        announcer.forget(poller.connection)
        fronts.forget(poller.connection)
        own.delete(lineKey(address))
        if (own.size === 0) byPerson.delete(userId)
      },
    })
    own.set(lineKey(address), poller)
    byPerson.set(userId, own)
    connections.add(poller.connection)
    announcer.welcome(poller.connection)
    fronts.welcome(poller.connection)
    return poller
  }

  return {
    /** Waits for events, at most 25 s; answers an earlier poll of the same line at once. */
    async poll(
      address: PollAddress,
      { understands, gone }: { understands: readonly SocketWord[]; gone: AbortSignal },
    ): Promise<PollOutcome | 'too-many'> {
      if (state.isClosed) return { kind: 'events', events: [] }
      presence.arrive(address.caller.userId)
      try {
        const poller = find(address) ?? open(address, understands)
        return poller ? await poller.wait(gone) : 'too-many'
      } finally {
        presence.leave(address.caller.userId)
      }
    },

    /** Handles a device's events in order. @returns how many it handled */
    async emit(address: PollAddress, events: readonly ClientEvent[]): Promise<number | 'too-many'> {
      const poller = find(address) ?? open(address, [])
      if (!poller) return 'too-many'
      let heard = 0
      for (const event of events) {
        if (!frameBudgets.takeFrame(address.caller.userId)) return heard > 0 ? heard : 'too-many'
        await handleEvent(poller.connection, event)
        heard += 1
      }
      return heard
    },

    count: () => [...byPerson.values()].reduce((sum, own) => sum + own.size, 0),

    /** Answers further polls at once; waiting ones end with all connections. */
    close() {
      state.isClosed = true
    },
  }
}

function lineKey({ caller, pollerId }: PollAddress): string {
  return `${caller.sessionId} ${pollerId}`
}

type Poller = ReturnType<typeof createPoller>

type PollOutcome = { kind: 'events'; events: ServerEvent[] } | { kind: 'signed-out' }

/**
 * One polling device: a connection whose events wait for the next poll.
 * @param onGone called once: the line closed, or nobody polled for half a minute
 */
function createPoller(options: {
  caller: Caller
  understands: readonly SocketWord[]
  onGone: () => void
}) {
  const { caller, understands, onGone } = options
  const queue: string[] = []
  const state = {
    queuedCharacters: 0,
    /** Counts polls: one superseded by the next gets no events. */
    turn: 0,
    wake: undefined as (() => void) | undefined,
    closedWith: undefined as number | undefined,
    expiry: setTimeout(expire, pollLimits.keptMs).unref(),
  }

  function expire() {
    connection.close(1000, 'Nobody polls.')
  }

  const connection: Connection = {
    caller,
    understands,
    hasLine: false,
    send(text) {
      if (state.queuedCharacters > queuedMaxCharacters) return false
      queue.push(text)
      state.queuedCharacters += text.length
      state.wake?.()
      return true
    },
    close(code) {
      if (state.closedWith !== undefined) return
      state.closedWith = code
      clearTimeout(state.expiry)
      onGone()
      state.wake?.()
    },
  }

  function sleep(gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, limits.syncPollMaxMs)
      function wake() {
        clearTimeout(timer)
        gone.removeEventListener('abort', wake)
        if (state.wake === wake) state.wake = undefined
        resolve()
      }
      gone.addEventListener('abort', wake, { once: true })
      state.wake = wake
    })
  }

  return {
    connection,

    /**
     * @param gone aborts when nobody waits for the answer; queued events then wait for the next
     * poll
     */
    async wait(gone: AbortSignal): Promise<PollOutcome> {
      const turn = ++state.turn
      clearTimeout(state.expiry)
      state.wake?.()
      if (queue.length === 0 && state.closedWith === undefined && !gone.aborted) await sleep(gone)
      if (state.closedWith === socketCloseCodes.signInEnded) return { kind: 'signed-out' }
      if (turn !== state.turn) return { kind: 'events', events: [] }
      if (state.closedWith === undefined) {
        state.expiry = setTimeout(expire, pollLimits.keptMs).unref()
      }
      if (gone.aborted) return { kind: 'events', events: [] }
      state.queuedCharacters = 0
      const events = queue.splice(0).map((text) => JSON.parse(text) as ServerEvent)
      return { kind: 'events', events }
    },
  }
}
