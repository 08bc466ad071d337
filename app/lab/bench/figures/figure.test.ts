import { expect, test } from 'vitest'
import { describeFigure } from './figure.ts'

test('a figure is one line: the value, its floors, and whether the target is reached', () => {
  const figure = {
    what: 'insert → other device',
    value: 12.345,
    unit: 'ms' as const,
    floors: [{ what: 'ws echo', value: 0.21 }],
  }
  expect(describeFigure({ ...figure, target: { atMost: 30 } })).toBe(
    'insert → other device: 12.3 ms | ws echo 0.21 ms | reached ≤ 30',
  )
  expect(describeFigure({ ...figure, target: { atMost: 10 } })).toMatch(/MISSED ≤ 10$/)
})
