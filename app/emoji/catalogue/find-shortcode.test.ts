import { expect, test } from 'vitest'
import { findShortcode } from '../emoji-tool.tsx'

const find = (text: string) => findShortcode(text, text.length)

test.each([
  [':sm', 'sm', false],
  ['hello :smile', 'smile', false],
  ['(:+1', '+1', false],
  ['one\n:flag-de', 'flag-de', false],
  [':Smile:', 'smile', true],
])('%j is a short name', (text, name, isClosed) => {
  const found = find(text)
  expect(found).toMatchObject({ name, isClosed, end: text.length })
  expect(text.slice(found?.start)).toMatch(/^:/)
})

test.each([':s', 'at 10:30', 'http://x', 'a:smile', ': smile', ':-)'])('%j is none', (text) => {
  expect(find(text)).toBeUndefined()
})

test('ignores the text after the cursor', () => {
  expect(findShortcode(':smile and more', 4)).toMatchObject({ name: 'smi', start: 0, end: 4 })
})
