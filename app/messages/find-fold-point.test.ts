import { expect, test } from 'vitest'
import { findFoldPoint } from './message-text.tsx'

test('shows a text of 2,500 characters whole, and cuts a longer one at the end of a word', () => {
  expect(findFoldPoint('x'.repeat(2_500))).toBeUndefined()
  const words = 'petrel '.repeat(400)
  const point = findFoldPoint(words) ?? 0
  expect(words.slice(0, point)).toMatch(/petrel$/)
  expect(point).toBeGreaterThan(2_400)
  expect(point).toBeLessThanOrEqual(2_500)
})

test('cuts one long word too, and never splits a character', () => {
  expect(findFoldPoint('x'.repeat(2_501))).toBe(2_500)
  expect(findFoldPoint(`x${'🐦'.repeat(2_000)}`)).toBe(2_499)
})

test('a short text of many lines folds at the end of a line', () => {
  const lines = (count: number) => Array.from({ length: count }, () => 'ho').join('\n')
  expect(findFoldPoint(lines(80))).toBeUndefined()
  const text = lines(81)
  expect(text.slice(0, findFoldPoint(text))).toBe(lines(80))
})
