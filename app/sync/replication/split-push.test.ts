import { expect, test } from 'vitest'
import { splitPush } from './push-documents.ts'

const texts = ['aaaa', 'bb', 'cccccccccccccccccccccc', 'd', 'e']

test('a push below the limit leaves in one request', () => {
  expect(splitPush(texts, 30)).toEqual({ part: texts, rest: [] })
  expect(splitPush([], 30)).toEqual({ part: [], rest: [] })
})

test('a push above it leaves in parts, every document once and in order, a large one alone', () => {
  const parts: (readonly string[])[] = []
  let left: readonly string[] = texts
  while (left.length > 0) {
    const { part, rest } = splitPush(left, 6)
    parts.push(part)
    left = rest
  }
  expect(parts).toEqual([['aaaa', 'bb'], ['cccccccccccccccccccccc'], ['d', 'e']])
})
