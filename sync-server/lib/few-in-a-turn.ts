import { createTurnLines } from './turn-lines.ts'

interface Arrival {
  begin: () => void
  isGivenUp: () => boolean
}

/**
 * Begins a few things per event-loop turn, one of each key in turn. Otherwise a burst of hundreds
 * would all begin before anybody else's work continues.
 * @param startsPerTurn further ones wait for the next turn
 */
export function createFewInATurn({ startsPerTurn }: { startsPerTurn: number }) {
  const waiting = createTurnLines<Arrival>()
  const state = { started: 0, isTurnDue: false }

  function callNextTurn() {
    if (state.isTurnDue) return
    state.isTurnDue = true
    setImmediate(() => {
      state.isTurnDue = false
      state.started = 0
      while (waiting.count() > 0 && state.started < startsPerTurn) {
        const next = waiting.take()
        if (next && !next.isGivenUp()) start(next)
      }
    })
  }

  function start({ begin }: Arrival) {
    state.started += 1
    callNextTurn()
    begin()
  }

  return {
    /**
     * Begins it now or in a later turn.
     * @param key asked only for what waits
     */
    take({ key, ...arrival }: Arrival & { key: () => string }) {
      if (waiting.count() === 0 && state.started < startsPerTurn) return start(arrival)
      waiting.add(key(), arrival)
      callNextTurn()
    },
    countWaiting: waiting.count,
  }
}
