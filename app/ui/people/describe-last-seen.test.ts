import { expect, test } from 'vitest'
import { describeLastSeen } from './use-presence-words.ts'

const now = Date.parse('2026-03-04T12:00:00.000Z')
const lastSeen = '2026-03-04T11:55:00.000Z'

test('without a time nothing is said: it may be hidden, or its person blocks the reader', () => {
  expect(describeLastSeen({ isOnline: false, lastSeen: null }, now)).toBe('')
  expect(describeLastSeen({ isOnline: false, lastSeen }, now)).toBe('last seen 5 minutes ago')
})

test('somebody who was online when the record was read has neither a time nor never', () => {
  expect(describeLastSeen({ isOnline: true, lastSeen: null }, now)).toBe('')
  expect(describeLastSeen({ isOnline: true, lastSeen }, now)).toBe('')
})
