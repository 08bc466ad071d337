import { expect, it } from 'vitest'
import { mapInTurns } from './map-in-turns.ts'

/** Maps items that take `eachMs` by a clock of the test's own; counts what others do meanwhile. */
async function countTurns({ items, eachMs }: { items: number; eachMs: number }) {
  const state = { now: 0, turns: 0, isOver: false }
  function work() {
    state.turns += 1
    if (!state.isOver) setImmediate(work)
  }
  setImmediate(work)
  const numbers = Array.from({ length: items }, (_, index) => index)
  const square = (number: number) => {
    state.now += eachMs
    return number * number
  }
  const squares = await mapInTurns(numbers, square, () => state.now)
  state.isOver = true
  expect(squares).toEqual(numbers.map((number) => number * number))
  return state.turns
}

it('P12: a long stretch of work lets others work in between, a short one does not', async () => {
  expect(await countTurns({ items: 1_000, eachMs: 0 })).toBe(0)
  expect(await countTurns({ items: 100, eachMs: 4 })).toBeGreaterThanOrEqual(30)
})
