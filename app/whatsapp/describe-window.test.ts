import { expect, test } from 'vitest'
import { describeWindow } from './describe-window.ts'

const minuteMs = 60_000
const lastInboundAt = Date.UTC(2026, 10, 22, 10)
const after = (minutes: number) =>
  describeWindow({ lastInboundAt, now: lastInboundAt + minutes * minuteMs })

test.each([
  [0, 'open', 'You can reply freely for 24 h.'],
  [0.5, 'open', 'You can reply freely for 24 h.'],
  [1, 'open', 'You can reply freely for 23 h 59 min.'],
  [22 * 60, 'closing', 'You can reply freely for 2 h.'],
  [23 * 60 + 5, 'closing', 'You can reply freely for 55 min.'],
  [23 * 60 + 59.5, 'closing', 'You can reply freely for 1 min.'],
])('%s minutes after their message the window is %s: %s', (minutes, kind, words) => {
  expect(after(minutes)).toMatchObject({ kind, words })
})

test('it is closed from the last moment on', () => {
  const words = 'More than 24 hours since their last message. Only templates can be sent.'
  expect(after(24 * 60)).toEqual({ kind: 'closed', words })
  expect(after(48 * 60)).toEqual({ kind: 'closed', words })
})

test('a customer who has never written can get only templates', () => {
  expect(describeWindow({ lastInboundAt: undefined, now: lastInboundAt })).toEqual({
    kind: 'closed',
    words: "They haven't written to you yet. Only templates can be sent.",
  })
})

test('a device whose clock is behind shows 24 hours, not more', () => {
  expect(after(-90)).toMatchObject({ words: 'You can reply freely for 24 h.' })
})

test('the words change after each minute, and are correct then', () => {
  const now = lastInboundAt + 61_500
  const state = describeWindow({ lastInboundAt, now })
  expect(state).toMatchObject({ words: 'You can reply freely for 23 h 59 min.' })
  const changesAt = 'changesAt' in state ? state.changesAt : 0
  expect(changesAt).toBeGreaterThan(now)
  expect(describeWindow({ lastInboundAt, now: changesAt })).toMatchObject({
    words: 'You can reply freely for 23 h 58 min.',
  })
})
