import { expect, test } from 'vitest'
import { describeConnection } from './use-connection-words.ts'

test('says nothing while the connection works or its state is unknown', () => {
  expect(describeConnection({ state: 'live', pendingCount: 3 })).toBeUndefined()
  expect(describeConnection({ state: 'starting', pendingCount: 0 })).toBeUndefined()
})

test('shows how many messages are still to arrive, but not while disconnected', () => {
  const coming = { pendingCount: 0, comingCount: 1_300 }
  expect(describeConnection({ state: 'live', ...coming })).toEqual({
    text: 'Loading new messages… · 1,300 to go',
    icon: 'download',
    isLate: true,
  })
  expect(describeConnection({ state: 'connecting', ...coming })?.text).toBe('Connecting…')
})

test('without a network it says so, with the number of pending messages', () => {
  expect(describeConnection({ state: 'offline', pendingCount: 2 })?.text).toBe(
    "You're offline. Messages will send when you're back. ·\u00a02\u00a0waiting",
  )
  expect(describeConnection({ state: 'offline', pendingCount: 0 })?.text).not.toMatch(/wait/)
})

test('an app that is too old says so immediately, with the number of pending messages', () => {
  expect(describeConnection({ state: 'outdated', pendingCount: 1 })).toEqual({
    text: "Update to go on. Messages will send when you've updated. ·\u00a01\u00a0waiting",
    icon: 'cloudOff',
    isLate: false,
  })
})

test('a problem shows its own words', () => {
  const words = 'The server has a problem.'
  expect(describeConnection({ state: 'trouble', pendingCount: 2, words })).toEqual({
    text: `${words} ·\u00a02\u00a0waiting`,
    icon: 'cloudOff',
    isLate: false,
  })
})
