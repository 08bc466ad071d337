import { v7 as createId } from 'uuid'
import * as z from 'zod/mini'
import { isSignedOutAnswer } from '../../../schema/api/api-error.ts'
import { pollLimits } from '../../../schema/api/poll.ts'
import {
  type ClientEvent,
  parseServerEvent,
  socketWords,
} from '../../../schema/api/socket-events.ts'
import { isOutdatedAnswer, wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { limits } from '../../../schema/limits.ts'
import { joinSignals } from '../../api/caller.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import type { Socket, SocketOptions } from './socket.ts'

export interface PollingOptions extends Omit<SocketOptions, 'platform'> {
  /** The server no longer serves this version of the app; polling goes on, ever more slowly. */
  onOutdated: () => void
  platform: Pick<Platform, 'fetch' | 'page' | 'random' | 'now'>
}

/** The server answers a poll within 25 s; a connection silent for longer is dead. */
const pollTimeoutMs = limits.syncPollMaxMs + limits.apiTimeoutMs
/** An empty answer sooner than this did not come from a waiting poll. */
const shortestWaitMs = 1_000

/** An unknown event must not spoil the others. */
const answer = z.object({ events: z.array(z.unknown()) })

/**
 * Receives the socket's events by long polling, until closed. Calls `onOpen` after the first
 * answered poll.
 */
export function createPolling(options: PollingOptions): Socket {
  const { platform, serverUrl, readToken, onOpen, onEvent, onDown, onSignedOut } = options
  const { onOutdated } = options
  const closing = new AbortController()
  const { signal } = closing
  const backOff = createBackOff({ random: platform.random })
  const state: { openId?: string; isSaying: boolean; unsaid: ClientEvent[] } = {
    isSaying: false,
    unsaid: [],
  }

  function ask(path: string, init: { method?: string; body?: string } = {}): Promise<Response> {
    return platform.fetch(`${serverUrl}/poll${path}`, {
      ...init,
      cache: 'no-store',
      signal: joinSignals([signal, AbortSignal.timeout(pollTimeoutMs)]),
      headers: {
        authorization: `Bearer ${readToken() ?? ''}`,
        [wireHeader]: String(wireVersion),
        ...(init.body && { 'content-type': 'application/json' }),
      },
    })
  }

  /** Polls until one fails. Then its id is worthless: an answer may have been lost. */
  async function hold(id: string): Promise<'signed-out' | 'down'> {
    for (;;) {
      const begunAt = platform.now()
      const token = readToken()
      const response = await ask(`?poller=${id}&understands=${socketWords.join()}`)
      if (!response.ok) {
        const { status } = response
        const body: unknown = await response.json()
        if (isOutdatedAnswer({ status, body }) && !signal.aborted) onOutdated()
        // A verdict on an earlier sign-in ends no later one.
        const isOver = isSignedOutAnswer({ status, body }) && readToken() === token
        return isOver ? 'signed-out' : 'down'
      }
      const { events } = answer.parse(await response.json())
      if (events.length === 0 && platform.now() - begunAt < shortestWaitMs) return 'down'
      if (signal.aborted) return 'down'
      if (state.openId !== id) {
        state.openId = id
        backOff.succeed()
        onOpen(false)
      }
      for (const value of events) {
        const event = parseServerEvent(value)
        if (event) onEvent(event)
      }
    }
  }

  async function run() {
    while (!signal.aborted) {
      const attempt = await backOff.begin(signal)
      const end = await hold(createId()).catch(() => 'down' as const)
      if (signal.aborted) return
      if (state.openId) onDown('broken')
      delete state.openId
      if (end === 'signed-out') return onSignedOut()
      backOff.fail(attempt)
    }
  }

  /** One request at a time keeps their order; lost ones stay lost (P7). */
  async function say() {
    if (state.isSaying) return
    state.isSaying = true
    while (state.unsaid.length > 0 && state.openId) {
      const events = state.unsaid.splice(0, pollLimits.eventsPerRequestMax)
      const body = JSON.stringify({ poller: state.openId, events })
      await ask('', { method: 'POST', body }).catch(() => {})
    }
    state.unsaid = []
    state.isSaying = false
  }

  const unsubscribe = platform.page.subscribe((event) => {
    if (event === 'online' || event === 'front') backOff.hurry()
  })
  run().catch(() => {
    // Only `close` aborts and leads here.
  })

  return {
    send(event) {
      if (!state.openId) return false
      state.unsaid.push(event)
      void say()
      return true
    },
    // Each poll has its own timeout.
    doubt() {},
    close() {
      unsubscribe()
      delete state.openId
      closing.abort(new Error('Polling has ended.'))
      backOff.close()
    },
  }
}
