import type { IncomingMessage, ServerResponse } from 'node:http'
import { createFewInATurn } from '../lib/few-in-a-turn.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Starts a few requests per event-loop turn, one of each caller in turn.
 * @param startsPerTurn further ones wait for the next turn
 * @param keyOf the request's caller, as far as known yet
 */
export function createReception(options: {
  startsPerTurn: number
  keyOf: (request: IncomingMessage) => string
}) {
  const { startsPerTurn, keyOf } = options
  const turns = createFewInATurn({ startsPerTurn })
  return {
    /** A listener that passes requests on in their turn. */
    receive:
      (begin: Listener): Listener =>
      (request, response) =>
        turns.take({
          key: () => keyOf(request),
          begin: () => begin(request, response),
          // Nobody sees the answer or the end of a request that was given up.
          isGivenUp: () => response.destroyed,
        }),
    countWaiting: turns.countWaiting,
  }
}
