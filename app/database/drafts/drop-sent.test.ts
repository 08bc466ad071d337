import { expect, test } from 'vitest'
import { dropSent } from './drafts.ts'

test.each([
  ['hello', 'hello', ''],
  ['  hello \n', 'hello', ''],
  [' hello and', 'hello', ' and'],
  ['hello', 'hello and', undefined],
  ['ok', 'hello', undefined],
  ['hello', '', undefined],
])('of %j, when %j was sent, %j is left', (text, sent, rest) =>
  expect(dropSent(text, sent)).toBe(rest),
)
