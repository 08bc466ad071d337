import { pollLimits } from '../../schema/api/poll.ts'
import {
  type ServerEvent,
  type SocketWord,
  socketCloseCodes,
} from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import type { Caller } from '../access/token-keeper.ts'
import type { Connection } from './connections/connections.ts'

/** A device that does not fetch its events misses further ones, and learns by replication (P7). */
const queuedMaxCharacters = 64 * 1024

export type Poller = ReturnType<typeof createPoller>

export type PollOutcome = { kind: 'events'; events: ServerEvent[] } | { kind: 'signed-out' }

/**
 * One polling device: a connection whose events wait for the next poll.
 * @param onGone called once: the line closed, or nobody polled for half a minute
 */
export function createPoller(options: {
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
