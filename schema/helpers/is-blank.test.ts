import { expect, test } from 'vitest'
import { isBlank } from './text.ts'

test.each(['', ' \n\t', '\u200b', '\u200b \u200d\u2060\ufeff', '\u00ad', '\ufe0f'])(
  'nothing can be seen of %j',
  (text) => expect(isBlank(text)).toBe(true),
)

test.each(['a', '\u200ba', '👨‍👩‍👧', '.', '\u0301e'])('something can be seen of %j', (text) =>
  expect(isBlank(text)).toBe(false),
)
