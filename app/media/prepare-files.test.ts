import { expect, test } from 'vitest'
import { moveCut } from './prepare-files.ts'

const whole = { left: 0, top: 0, width: 1, height: 1 }
const part = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 }

test.each([
  ['top left', { x: 0.25, y: 0.5 }, { left: 0.25, top: 0.5, width: 0.75, height: 0.5 }],
  ['bottom right', { x: -0.25, y: -0.5 }, { left: 0, top: 0, width: 0.75, height: 0.5 }],
  ['top right', { x: -0.5, y: 0.25 }, { left: 0, top: 0.25, width: 0.5, height: 0.75 }],
  ['bottom left', { x: 0.5, y: -0.25 }, { left: 0.5, top: 0, width: 0.5, height: 0.75 }],
] as const)('the corner %s moves its two sides', (corner, by, expected) => {
  expect(moveCut(whole, { corner, ...by })).toEqual(expected)
})

test('no corner leaves the picture, or meets the corner opposite', () => {
  expect(moveCut(whole, { corner: 'top left', x: -1, y: -1 })).toEqual(whole)
  const least = moveCut(whole, { corner: 'bottom right', x: -5, y: -5 })
  expect([least.width, least.height].map((side) => Math.round(side * 10))).toEqual([1, 1])
})

test('the whole cut moves within the picture', () => {
  expect(moveCut(part, { corner: undefined, x: 0.1, y: -0.1 })).toEqual({
    ...part,
    left: 0.35,
    top: 0.15,
  })
  expect(moveCut(part, { corner: undefined, x: 9, y: 9 })).toEqual({ ...part, left: 0.5, top: 0.5 })
})
