import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ClientEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'
import { createTypingSignal } from '../realtime.ts'
import { createPresence } from './presence.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => void vi.useRealTimers())

const ben = '01900000-0000-7000-8000-00000000000b'
const cyd = '01900000-0000-7000-8000-00000000000c'
const dan = '01900000-0000-7000-8000-00000000000d'
const silent = { onLeft: () => {}, onHere: () => {}, onLost: () => {} }

test('somebody types for three seconds after the last word of it, or until they stop or have sent', () => {
  const { presence, handle } = createPresence(silent)
  const isTyping = () => presence.getSnapshot().isTyping(ben)
  handle({ event: 'user-typing', data: { userId: ben } })
  vi.advanceTimersByTime(2_000)
  handle({ event: 'user-typing', data: { userId: ben } })
  vi.advanceTimersByTime(2_999)
  expect(isTyping()).toBe(true)
  vi.advanceTimersByTime(1)
  expect(isTyping()).toBe(false)
  handle({ event: 'user-typing', data: { userId: ben } })
  handle({ event: 'user-stop-typing', data: { userId: ben } })
  expect(isTyping()).toBe(false)
})

test('who is online is what the server said last; without a connection nobody is known to be', () => {
  const { presence, handle, forget } = createPresence(silent)
  handle({ event: 'users-online', data: [ben] })
  expect(presence.getSnapshot().isOnline(ben)).toBe(true)
  forget()
  expect(presence.getSnapshot().isOnline(ben)).toBe(false)
})

test('losing the connection reports who was online, once, and the end reports nobody', () => {
  const lost: string[][] = []
  const { handle, forget, close } = createPresence({
    ...silent,
    onLost: (userIds) => lost.push([...userIds]),
  })
  forget()
  handle({ event: 'users-online', data: [ben, cyd] })
  handle({ event: 'presence-changed', data: { online: [], offline: [cyd] } })
  forget()
  forget()
  expect(lost).toEqual([[ben]])
  handle({ event: 'users-online', data: [ben] })
  close()
  expect(lost).toEqual([[ben]])
})

test('a departure is reported once, and losing the connection is none', () => {
  const left: string[] = []
  const { handle, forget } = createPresence({
    ...silent,
    onLeft: (userIds) => left.push(...userIds),
  })
  handle({ event: 'users-online', data: [ben] })
  handle({ event: 'users-online', data: [] })
  handle({ event: 'users-online', data: [] })
  expect(left).toEqual([ben])
  handle({ event: 'users-online', data: [ben] })
  forget()
  expect(left).toEqual([ben])
})

test('a change updates the list, and a departure in it is reported once', () => {
  const left: string[] = []
  const { presence, handle } = createPresence({
    ...silent,
    onLeft: (userIds) => left.push(...userIds),
  })
  const isOnline = (userId: string) => presence.getSnapshot().isOnline(userId)
  handle({ event: 'users-online', data: [ben] })
  handle({ event: 'presence-changed', data: { online: [cyd], offline: [] } })
  expect([isOnline(ben), isOnline(cyd)]).toEqual([true, true])
  handle({ event: 'presence-changed', data: { online: [cyd], offline: [ben, dan] } })
  expect([isOnline(ben), isOnline(cyd)]).toEqual([false, true])
  expect(left).toEqual([ben])
  handle({ event: 'users-online', data: [ben] })
  expect([isOnline(ben), isOnline(cyd)]).toEqual([true, false])
  expect(left).toEqual([ben, cyd])
})

test('a list of fewer people reports no departures', () => {
  const left: string[] = []
  const { presence, handle } = createPresence({
    ...silent,
    onLeft: (userIds) => left.push(...userIds),
  })
  handle({ event: 'users-online', data: [ben, cyd] })
  handle({ event: 'presence-scope', data: 'some' })
  handle({ event: 'users-online', data: [ben] })
  expect(presence.getSnapshot().isOnline(cyd)).toBe(false)
  expect(left).toEqual([])
  handle({ event: 'users-online', data: [] })
  expect(left).toEqual([ben])
})

test('typing is sent at most every 300 ms, and stopping one second after the last key', () => {
  const sent: [number, ClientEvent['event']][] = []
  const start = Date.now()
  const signal = createTypingSignal({
    send: ({ event }) => sent.push([Date.now() - start, event]),
  })
  for (let key = 0; key < 8; key += 1) {
    signal.typing(ben)
    vi.advanceTimersByTime(100)
  }
  vi.advanceTimersByTime(2_000)
  signal.typing(ben)
  signal.stopTyping(ben)
  expect(sent).toEqual([
    [0, 'typing'],
    [300, 'typing'],
    [600, 'typing'],
    [1_700, 'stop-typing'],
    [2_800, 'typing'],
    [2_800, 'stop-typing'],
  ])
})

test('typing is sent on when the clock is set back by an hour', () => {
  const sent: ClientEvent['event'][] = []
  const signal = createTypingSignal({ send: ({ event }) => sent.push(event) })
  signal.typing(ben)
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(limits.typingEmitEveryMs)
  signal.typing(ben)
  expect(sent).toEqual(['typing', 'typing'])
  signal.close()
})
