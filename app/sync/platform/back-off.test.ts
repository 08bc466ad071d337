import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBackOff } from './back-off.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const signal = new AbortController().signal

async function measureWait(backOff: ReturnType<typeof createBackOff>): Promise<number> {
  const state = { isOver: false }
  backOff.begin(signal).then(
    () => {
      state.isOver = true
    },
    () => {},
  )
  for (let waited = 0; ; waited += 100) {
    await vi.advanceTimersByTimeAsync(0)
    if (state.isOver) return waited
    await vi.advanceTimersByTimeAsync(100)
  }
}

test('each failure doubles the waiting, up to half a minute; a success ends it', async () => {
  const backOff = createBackOff({ random: () => 1 })
  const waits: number[] = []
  for (let failures = 0; failures < 7; failures += 1) {
    backOff.fail(await backOff.begin(signal))
    waits.push(await measureWait(backOff))
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  backOff.succeed()
  expect(await measureWait(backOff)).toBe(0)
  backOff.fail(await backOff.begin(signal))
  expect(await measureWait(backOff)).toBe(1_000)
})

test('the socket waits a second five times before the waiting grows', async () => {
  const backOff = createBackOff({ random: () => 1, firstMs: 1_000, evenAttempts: 5 })
  const waits: number[] = []
  for (let failures = 0; failures < 8; failures += 1) {
    backOff.fail(await backOff.begin(signal))
    waits.push(await measureWait(backOff))
  }
  expect(waits).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 2_000, 4_000])
})

test('requests that fail side by side count once', async () => {
  const backOff = createBackOff({ random: () => 1 })
  const attempts = [await backOff.begin(signal), await backOff.begin(signal)]
  for (const attempt of attempts) backOff.fail(attempt)
  expect(await measureWait(backOff)).toBe(1_000)
})

test('a sign of life ends the waiting at once, but none that the server has asked for', async () => {
  const backOff = createBackOff({ random: () => 1 })
  backOff.fail(await backOff.begin(signal))
  backOff.hurry()
  expect(await measureWait(backOff)).toBe(0)
  backOff.fail(await backOff.begin(signal), { atLeastMs: 20_000 })
  backOff.hurry()
  expect(await measureWait(backOff)).toBe(20_000)
})

test('what the server answers to others ends the waiting for it, and not that after a refusal', async () => {
  const backOff = createBackOff({ random: () => 1 })
  backOff.fail(await backOff.begin(signal), { isAway: true })
  backOff.recordAnswer()
  expect(await measureWait(backOff)).toBe(0)
  backOff.fail(await backOff.begin(signal))
  backOff.recordAnswer()
  expect(await measureWait(backOff)).toBe(2_000)
})

test('of two who wait together, what one is refused stays refused while the other succeeds', async () => {
  const backOff = createBackOff({ random: () => 1 })
  const [refused, other] = [backOff.share(), backOff.share()]
  const waits: number[] = []
  for (let failures = 0; failures < 4; failures += 1) {
    const attempt = await refused.begin(signal)
    refused.fail(attempt)
    // Already under way, or behind the same delay.
    other.succeed()
    waits.push(await measureWait(other))
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000])
  refused.succeed()
  refused.fail(await refused.begin(signal))
  expect(await measureWait(refused)).toBe(1_000)
})

test('of two who wait together, both count that nobody is there, and either ends it', async () => {
  const backOff = createBackOff({ random: () => 1 })
  const [one, other] = [backOff.share(), backOff.share()]
  const waits: number[] = []
  for (const who of [one, other, one, other]) {
    who.fail(await who.begin(signal), { isAway: true })
    waits.push(await measureWait(one))
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000])
  one.fail(await one.begin(signal), { isAway: true })
  other.succeed()
  expect(await measureWait(one)).toBe(0)
  other.fail(await other.begin(signal), { isAway: true })
  expect(await measureWait(other)).toBeLessThanOrEqual(4_000)
})

test('whoever waits is let go when everything ends', async () => {
  const backOff = createBackOff({ random: () => 1 })
  const closing = new AbortController()
  backOff.fail(await backOff.begin(signal))
  const waiting = backOff.begin(closing.signal)
  closing.abort(new Error('over'))
  await expect(waiting).rejects.toThrow('over')
})
