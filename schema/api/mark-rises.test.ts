import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRiseTime, type MarkRises, noteRise, trimRises } from './mark-rises.ts'

const minute = (count: number) => count * 60_000

test('a message was read when the mark first rose to its place or past it', () => {
  let rises = noteRise(undefined, { before: 0, upTo: 10, at: minute(5) })
  rises = noteRise(rises, { before: 10, upTo: 20, at: minute(9) })
  expect([5, 10, 11, 20].map((place) => findRiseTime(rises, place))).toEqual([
    minute(5),
    minute(5),
    minute(9),
    minute(9),
  ])
  expect(findRiseTime(rises, 21)).toBeUndefined()
  // A mark that fell or stayed says nothing.
  expect(noteRise(rises, { before: 20, upTo: 20, at: minute(12) })).toBe(rises)
  expect(findRiseTime(undefined, 1)).toBeUndefined()
})

test('what was read before anybody noted the time has none', () => {
  const rises = noteRise(undefined, { before: 10, upTo: 20, at: minute(5) })
  expect(findRiseTime(rises, 10)).toBeUndefined()
  expect(findRiseTime(rises, 11)).toBe(minute(5))
})

test('rises within a minute are one, so that a clock shows the same', () => {
  let rises = noteRise(undefined, { before: 0, upTo: 1, at: minute(5) })
  for (let upTo = 2; upTo <= 50; upTo += 1) {
    rises = noteRise(rises, { before: upTo - 1, upTo, at: minute(5) + upTo * 1_000 })
  }
  expect(rises).toHaveLength(2)
  expect(findRiseTime(rises, 3)).toBe(minute(5) + 50_000)
})

test('what was reached in secret has no time, and what came before and after it has', () => {
  let rises = noteRise(undefined, { before: 0, upTo: 10, at: minute(5) })
  rises = noteRise(rises, { before: 10, upTo: 20, at: 0 })
  rises = noteRise(rises, { before: 20, upTo: 30, at: minute(9) })
  expect([10, 11, 20, 21].map((place) => findRiseTime(rises, place))).toEqual([
    minute(5),
    undefined,
    undefined,
    minute(9),
  ])
})

test('of any number of rises a bounded number is kept, and each time that is said is right', () => {
  const rise = fc.record({
    by: fc.integer({ min: 1, max: 9 }),
    later: fc.integer({ max: 9, min: 0 }),
  })
  fc.assert(
    fc.property(fc.array(rise, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (all, most) => {
      let rises: MarkRises | undefined
      const state = { upTo: 0, at: minute(100) }
      const truth: number[] = [0]
      for (const { by, later } of all) {
        const before = state.upTo
        state.upTo += by
        state.at += later * 20_000
        for (let place = before + 1; place <= state.upTo; place += 1) truth[place] = state.at
        rises = noteRise(rises, { before, upTo: state.upTo, at: state.at })
      }
      expect(rises?.length ?? 0).toBeLessThanOrEqual(17)
      const told = rises && trimRises(rises, most)
      for (let place = 1; place <= state.upTo; place += 1) {
        const found = findRiseTime(told, place)
        if (found !== undefined) {
          expect(Math.floor(found / 60_000)).toBe(Math.floor((truth[place] ?? 0) / 60_000))
        }
      }
      // The newest always has its time.
      if (rises) expect(findRiseTime(told, state.upTo)).toBe(state.at)
    }),
  )
})
