import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { createReadTimers, markEveryMs } from './use-reading.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start() {
  const marked: number[] = []
  return { marked, timers: createReadTimers((upTo) => marked.push(upTo)) }
}
const most = limits.markReadAfterMs - 100

test('a message is read a second after it is seen, also while others arrive', () => {
  const { marked, timers } = start()
  timers.see(1)
  vi.advanceTimersByTime(most)
  timers.see(2)
  vi.advanceTimersByTime(100)
  expect(marked).toEqual([1])
  vi.advanceTimersByTime(markEveryMs)
  expect(marked).toEqual([1, 2])
})

test('of messages that arrive fast, one mark covers several, and the last of them is marked', () => {
  const { marked, timers } = start()
  for (let place = 1; place <= 20; place++) {
    timers.see(place)
    vi.advanceTimersByTime(200)
  }
  vi.advanceTimersByTime(limits.markReadAfterMs + markEveryMs)
  expect(marked.at(-1)).toBe(20)
  expect(marked.length).toBeLessThanOrEqual(4)
  timers.see(21)
  vi.advanceTimersByTime(markEveryMs + limits.markReadAfterMs)
  expect(marked.at(-1)).toBe(21)
})

test('what was read is marked at once when the person leaves', () => {
  const { marked, timers } = start()
  timers.see(1)
  vi.advanceTimersByTime(limits.markReadAfterMs)
  timers.see(2)
  vi.advanceTimersByTime(limits.markReadAfterMs)
  timers.see(3)
  timers.see(0)
  expect(marked).toEqual([1, 2])
})

test('what leaves the screen before is not read, and what stays is', () => {
  const { marked, timers } = start()
  timers.see(1)
  timers.see(2)
  timers.see(1)
  vi.advanceTimersByTime(limits.markReadAfterMs)
  expect(marked).toEqual([1])
})

test('a person who leaves has read nothing more', () => {
  const { marked, timers } = start()
  timers.see(1)
  timers.see(0)
  vi.advanceTimersByTime(limits.markReadAfterMs)
  expect(marked).toEqual([])
})
