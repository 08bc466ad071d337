import { expect, test } from 'vitest'
import type { Connection } from '../../sync/messenger-types.ts'
import { describeConnection, followReturn, nothingKnown } from './use-connection-words.ts'

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

/** Looks at the connection several times, one after another. */
function look(...situations: { state: Connection['state']; waiting: number; failed?: number }[]) {
  return situations.reduce(
    (known, now) => followReturn(known, { isShown: now.state !== 'live', failed: 0, ...now }),
    nothingKnown,
  )
}

test('what a slow network sends long after the return is counted', () => {
  const offline = { state: 'offline', waiting: 5 } as const
  const sending = look(offline, { state: 'connecting', waiting: 5 }, { state: 'live', waiting: 5 })
  expect(sending).toMatchObject({ back: { waiting: 5 }, sentCount: undefined })
  const sent = [3, 0].reduce(
    (known, waiting) => followReturn(known, { state: 'live', isShown: false, waiting, failed: 0 }),
    sending,
  )
  expect(sent.sentCount).toBe(5)
})

test('a return that breaks off is counted from what waited at first', () => {
  const { sentCount } = look(
    { state: 'offline', waiting: 5 },
    { state: 'live', waiting: 5 },
    { state: 'live', waiting: 2 },
    { state: 'connecting', waiting: 2 },
    { state: 'live', waiting: 2 },
    { state: 'live', waiting: 0 },
  )
  expect(sentCount).toBe(5)
})

test('what is refused is not counted as sent', () => {
  const { sentCount } = look(
    { state: 'live', waiting: 4 },
    { state: 'live', waiting: 0 },
    { state: 'offline', waiting: 3, failed: 1 },
    { state: 'live', waiting: 0, failed: 2 },
  )
  expect(sentCount).toBe(2)
})

test('a loss that nobody has seen has no return', () => {
  const unseen = { isShown: false, waiting: 1, failed: 0 }
  const lost = followReturn(look({ state: 'live', waiting: 0 }), { state: 'connecting', ...unseen })
  expect(followReturn(lost, { state: 'live', ...unseen }).back).toBeUndefined()
})
