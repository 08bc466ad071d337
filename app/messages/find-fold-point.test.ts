import { expect, test } from 'vitest'
import { findFoldPoint } from './find-fold-point.ts'

test('a text of 2,500 characters is shown whole, a longer one is cut at the end of a word', () => {
  expect(findFoldPoint('x'.repeat(2_500))).toBeUndefined()
  const words = 'petrel '.repeat(400)
  const point = findFoldPoint(words) ?? 0
  expect(words.slice(0, point)).toMatch(/petrel$/)
  expect(point).toBeGreaterThan(2_400)
  expect(point).toBeLessThanOrEqual(2_500)
})

test('one long word is cut too, and never within a character', () => {
  expect(findFoldPoint('x'.repeat(2_501))).toBe(2_500)
  expect(findFoldPoint(`x${'🐦'.repeat(2_000)}`)).toBe(2_499)
})
