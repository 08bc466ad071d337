import { setMaxListeners } from 'node:events'
import type { AttackOrder } from './attacker.ts'
import { attacks } from './hostile-attacks.ts'

/** Attacks in a separate process, so that their cost here does not affect the measured waits. */

const state = { over: undefined as AbortController | undefined, done: Promise.resolve() }

process.on('message', (order: AttackOrder) => {
  if (order.kind === 'begin') {
    const over = new AbortController()
    // Hundreds of requests end with it.
    setMaxListeners(0, over.signal)
    const { port, attackers } = order
    state.over = over
    state.done = attacks[order.name]({ port, attackers, signal: over.signal }).catch(fail)
    process.send?.('begun')
  } else {
    state.over?.abort()
    void state.done.then(() => process.send?.('ended'))
  }
})

function fail(error: unknown) {
  console.error(error)
  process.exit(1)
}
