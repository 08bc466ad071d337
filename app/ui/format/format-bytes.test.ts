import { expect, test } from 'vitest'
import { formatBytes } from './format-amounts.ts'

test.each([
  [0, '0 bytes'],
  [1_400_000, '1.4 MB'],
  [250_000_000_000, '250 GB'],
  [undefined, 'not known'],
])('%s is %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words)
})
