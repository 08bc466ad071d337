import type { IncomingMessage, ServerResponse } from 'node:http'
import { createTurnLines } from '../lib/turn-lines.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Arrival {
  request: IncomingMessage
  response: ServerResponse
}

/**
 * Begins requests a few in each turn of the event loop, one of each caller in turn: hundreds that come in the same
 * moment would else be begun in one stretch, before anything that somebody else waits for goes on.
 * @param startsPerTurn more wait for the next turn
 * @param keyOf whose request it is, as far as that is known yet
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
        // Nobody hears an answer to one that was given up, nor when it is over.
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
    /** A listener that hands requests on when their turn has come. */
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
