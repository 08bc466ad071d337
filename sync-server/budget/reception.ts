import type { IncomingMessage, ServerResponse } from 'node:http'
import { createTurnLines } from '../lib/turn-lines.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Arrival {
  request: IncomingMessage
  response: ServerResponse
}

/**
 * Starts a few requests per event-loop turn, one of each caller in turn. Otherwise a burst of
 * hundreds would all start before anybody else's work continues.
 * @param startsPerTurn further ones wait for the next turn
 * @param keyOf the request's caller, as far as known yet
 */
export function createReception(options: {
  startsPerTurn: number
  keyOf: (request: IncomingMessage) => string
}) {
  const { startsPerTurn, keyOf } = options
  const waiting = createTurnLines<Arrival>()
  const state = { started: 0, isTurnDue: false }

  function callNextTurn(begin: Listener) {
    if (state.isTurnDue) return
    state.isTurnDue = true
    setImmediate(() => {
      state.isTurnDue = false
      state.started = 0
      while (waiting.count() > 0 && state.started < startsPerTurn) {
        const next = waiting.take()
        // Nobody sees the answer or the end of a request that was given up.
        if (next && !next.response.destroyed) start(next, begin)
      }
    })
  }

  function start({ request, response }: Arrival, begin: Listener) {
    state.started += 1
    callNextTurn(begin)
    begin(request, response)
  }

  return {
    /** A listener that passes requests on in their turn. */
    receive:
      (begin: Listener): Listener =>
      (request, response) => {
        const arrival = { request, response }
        if (waiting.count() === 0 && state.started < startsPerTurn) return start(arrival, begin)
        waiting.add(keyOf(request), arrival)
        callNextTurn(begin)
      },
    countWaiting: waiting.count,
  }
}
