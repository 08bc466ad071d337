import { expect, test } from 'vitest'
import { describeOwnPresence } from './profile-page.tsx'

const now = Date.parse('2026-03-04T12:00:00.000Z')
const minutesAgo = (count: number) => now - count * 60_000
const describe = (lastSeen: number | undefined, lastSyncedAt?: number, isOnline = false) =>
  describeOwnPresence({
    user: { lastSeen: lastSeen === undefined ? null : new Date(lastSeen).toISOString() },
    isOnline,
    lastSyncedAt,
    now,
  })

test('offline one was last seen when this device last reached the server', () => {
  expect(describe(undefined, minutesAgo(5))).toBe('5 minutes ago')
  expect(describe(minutesAgo(50), minutesAgo(5))).toBe('5 minutes ago')
  expect(describe(minutesAgo(2), minutesAgo(5))).toBe('2 minutes ago')
})

test('online it says so, and with no time it says nothing instead of never', () => {
  expect(describe(minutesAgo(2), minutesAgo(5), true)).toBe('Online')
  expect(describe(undefined)).toBeUndefined()
})
