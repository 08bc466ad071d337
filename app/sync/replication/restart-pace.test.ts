import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRestartPace } from './sync.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const signal = new AbortController().signal

function start() {
  const pace = createRestartPace({ random: () => 1 })
  /** @returns how long the replications that failed now have to wait, in ms */
  async function fail(): Promise<number> {
    const failedAt = performance.now()
    const waiting = pace.wait(signal)
    await vi.runAllTimersAsync()
    await waiting
    return Math.round(performance.now() - failedAt)
  }
  return { pace, fail }
}

test('a failure minutes after the last waits as little as the first', async () => {
  const { pace, fail } = start()
  for (let failures = 0; failures < 7; failures += 1) {
    expect(await fail()).toBe(1_000)
    pace.recordBegun()
    await vi.advanceTimersByTimeAsync(5 * 60_000)
  }
})

test('failures in a row wait longer each time, also where nothing can even begin', async () => {
  const { pace, fail } = start()
  await fail()
  pace.recordBegun()
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  const waits: number[] = []
  for (let failures = 0; failures < 8; failures += 1) waits.push(await fail())
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('who hurries it waits no longer', async () => {
  const { pace, fail } = start()
  await fail()
  await fail()
  const waiting = pace.wait(signal)
  await vi.advanceTimersByTimeAsync(0)
  pace.hurry()
  await waiting
})
