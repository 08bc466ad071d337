import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { newConversation } from '../../../schema/conversation.ts'
import { readChatStates, updateUnread } from './chat-states.ts'

const now = 1_000_000
const before = [
  { peerId: 'ann', count: 2, upTo: 20 },
  { peerId: 'ben', count: 3, upTo: 30 },
]
const stateOf = (changes: object, said: { peerId: string; readUpTo?: number } = { peerId: 'x' }) =>
  readChatStates({
    conversations: [{ ...newConversation(createId()), _id: 'ben', ...changes }],
    said,
    now,
  })

test('a push adds what the app has not counted', () => {
  const news = { peerId: 'ann', count: 3, upTo: 23, places: [20, 22, 23] }
  const after = updateUnread(before, readChatStates({ conversations: [], said: news, now }), news)
  expect(after).toContainEqual({ peerId: 'ann', count: 4, upTo: 23 })
  expect(after).toContainEqual(before[1])
})

test('the same push again adds nothing, and neither does one that the app has counted', () => {
  const news = { peerId: 'ann', count: 1, upTo: 20, places: [20] }
  expect(updateUnread(before, new Map(), news)).toEqual(before)
})

test('a push whose messages could not be fetched counts as many as it says', () => {
  const news = { peerId: 'carl', count: 5, upTo: 50, places: [] }
  expect(updateUnread(before, new Map(), news)).toContainEqual({
    ...{ peerId: 'carl', count: 5, upTo: 50 },
  })
})

test.each([
  ['read', { readUpTo: 30 }],
  ['cleared', { clearedUpTo: 31 }],
  ['archived', { isArchived: true }],
  ['muted', { isMuted: true }],
  ['muted for a while', { isMuted: true, mutedUntil: now + 1 }],
])('a chat that was %s elsewhere is not counted', (_, changes) => {
  expect(updateUnread(before, stateOf(changes))).toEqual([before[0]])
})

test.each([
  ['read in part', { readUpTo: 29 }],
  ['muted until a time that is over', { isMuted: true, mutedUntil: now }],
])('a chat that was %s still is', (_, changes) => {
  expect(updateUnread(before, stateOf(changes))).toEqual(before)
})

test('a push that says what was read needs no answer of the server', () => {
  const states = readChatStates({ conversations: [], said: { peerId: 'ben', readUpTo: 30 }, now })
  expect(updateUnread(before, states)).toEqual([before[0]])
})

test('news after the reading counts from there', () => {
  const said = { peerId: 'ben', readUpTo: 30 }
  const states = readChatStates({ conversations: [], said, now })
  const news = { peerId: 'ben', count: 1, upTo: 31, places: [31] }
  expect(updateUnread(before, states, news)).toContainEqual({ peerId: 'ben', count: 1, upTo: 31 })
})
