import { expect, test } from 'vitest'
import { splitPush } from './split-push.ts'

const docs = ['aaaa', 'bb', 'cccccccccccccccccccccc', 'd', 'e'].map((content) => ({ content }))

test('a push below the limit leaves in one request', () => {
  expect(splitPush(docs)).toEqual([JSON.stringify({ docs })])
})

test('a push above it leaves in parts, every document once and in order, a large one alone', () => {
  const parts = splitPush(docs, 40).map((part) => JSON.parse(part).docs)
  expect(parts.flat()).toEqual(docs)
  expect(parts.map((part) => part.length)).toEqual([2, 1, 2])
})
