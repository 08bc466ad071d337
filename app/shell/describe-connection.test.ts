import { expect, test } from 'vitest'
import { describeConnection } from './describe-connection.ts'

test('nothing is said while all is well, or while it is not known yet', () => {
  expect(describeConnection({ state: 'live', pendingCount: 3 })).toBeUndefined()
  expect(describeConnection({ state: 'starting', pendingCount: 0 })).toBeUndefined()
})

test('without a network it says so, and how much waits', () => {
  expect(describeConnection({ state: 'offline', pendingCount: 2 })?.text).toBe(
    "You're offline. Messages will send when you're back. · 2 waiting",
  )
  expect(describeConnection({ state: 'offline', pendingCount: 0 })?.text).not.toMatch(/wait/)
})

test('trouble is told in its own words', () => {
  const words = 'The server has a problem.'
  expect(describeConnection({ state: 'trouble', pendingCount: 2, words })).toEqual({
    text: `${words} · 2 waiting`,
    isLate: false,
  })
})
