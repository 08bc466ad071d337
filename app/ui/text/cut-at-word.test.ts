import { expect, test } from 'vitest'
import { cutAtWord } from './describe-message.ts'

test.each([
  ['short', 10, 'short'],
  ['ten chars!', 10, 'ten chars!'],
  ['the boat is ready', 10, 'the boat…'],
  ['the boat is ready', 8, 'the boat…'],
  ['a'.repeat(90), 50, `${'a'.repeat(50)}…`],
  ['🐦'.repeat(9), 3, '🐦🐦🐦…'],
])('%s at %i', (text, maxLength, cut) => {
  expect(cutAtWord(text, maxLength)).toBe(cut)
})
