import type { ClientEvent, SocketWord } from '../../schema/api/socket-events.ts'
import type { Caller } from '../access/token-keeper.ts'
import type { Connections } from './connections/connections.ts'
import type { FrameBudgets } from './connections/frame-budgets.ts'
import type { EventHandler } from './event-handler.ts'
import { createPoller, type Poller, type PollOutcome } from './poller.ts'
import type { Fronts } from './presence/fronts.ts'
import type { Presence } from './presence/presence.ts'
import type { PresenceAnnouncer } from './presence/presence-announcer.ts'

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
