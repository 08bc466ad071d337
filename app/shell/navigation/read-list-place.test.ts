import { expect, test } from 'vitest'
import { readListPlace } from './read-chat-place.ts'

test('reads a place in the messages from the navigation state', () => {
  const listPlace = { messageId: 'm', offsetPx: 12.5 }
  expect(readListPlace({ query: 'a word', listPlace })).toEqual(listPlace)
})

test.each([
  undefined,
  null,
  'text',
  {},
  { listPlace: 'm' },
  { listPlace: { messageId: 7, offsetPx: 1 } },
  { listPlace: { messageId: 'm', offsetPx: '1' } },
  { listPlace: { messageId: 'm', offsetPx: Number.NaN } },
])('%j holds none', (state) => {
  expect(readListPlace(state)).toBe(undefined)
})
