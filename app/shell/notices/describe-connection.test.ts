import { expect, test } from 'vitest'
import { describeConnection } from './describe-connection.ts'

test('nothing is said while all is well, or while it is not known yet', () => {
  expect(describeConnection({ state: 'live', pendingCount: 3 })).toBeUndefined()
  expect(describeConnection({ state: 'starting', pendingCount: 0 })).toBeUndefined()
})

test('what is still to come is told with its count, and not while the two are apart', () => {
  const coming = { pendingCount: 0, comingCount: 1_300 }
  expect(describeConnection({ state: 'live', ...coming })).toEqual({
    text: 'Loading new messages… · 1,300 to go',
    icon: 'download',
    isLate: true,
  })
  expect(describeConnection({ state: 'connecting', ...coming })?.text).toBe('Connecting…')
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
    icon: 'cloudOff',
    isLate: false,
  })
})
