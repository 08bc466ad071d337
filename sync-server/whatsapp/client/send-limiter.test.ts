import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { nextRetryMs } from '../sending/send-message.ts'
import { createSendLimiter } from './send-limiter.ts'

function open(messagesPerSecond = 1_000) {
  const clock = { now: 0 }
  const waiting = {
    now: () => clock.now,
    async sleep(ms: number) {
      clock.now += ms
    },
  }
  const limiter = createSendLimiter({ messagesPerSecond, waiting })
  const done: string[] = []
  const run = (contact: string, name = contact, waitMaxMs = 1e9) =>
    limiter.run({ numberId: 'n', contact, waitMaxMs }, async () => {
      done.push(name)
    })
  return { clock, limiter, done, run }
}

test('to one person one after the other, in order, however long each takes', async () => {
  const { limiter } = open()
  const first = createDeferred<void>()
  const started: string[] = []
  const run = (contact: string, name: string, work: () => Promise<void>) =>
    limiter.run({ numberId: 'n', contact, waitMaxMs: 1e9 }, async () => {
      started.push(name)
      await work()
    })
  const nothing = async () => undefined
  const all = [
    run('Ann', 'Ann 1', () => first.promise),
    run('Ann', 'Ann 2', nothing),
    run('Ann', 'Ann 3', nothing),
  ]
  await run('Ben', 'Ben 1', nothing)
  expect(started).toEqual(['Ann 1', 'Ben 1'])
  expect(limiter.countWaiting()).toBe(3)
  first.resolve()
  await Promise.all(all)
  expect(started).toEqual(['Ann 1', 'Ben 1', 'Ann 2', 'Ann 3'])
  expect(limiter.countWaiting()).toBe(0)
})

test('one that fails does not hold up the next', async () => {
  const { limiter, run, done } = open()
  const failing = limiter.run({ numberId: 'n', contact: 'Ann', waitMaxMs: 0 }, async () => {
    throw new Error('broken')
  })
  const next = run('Ann')
  await expect(failing).rejects.toThrow('broken')
  await next
  expect(done).toEqual(['Ann'])
})

test('a number has a limit per second, over all people', async () => {
  const { clock, run } = open(10)
  for (let count = 0; count < 30; count += 1) await run(`person ${count}`)
  expect(clock.now).toBeGreaterThanOrEqual(1_900)
  expect(clock.now).toBeLessThanOrEqual(2_100)
})

test('one person gets 45 at once and then one in six seconds; others do not wait for them', async () => {
  const { clock, run } = open()
  for (let count = 0; count < 45; count += 1) await run('Ann')
  expect(clock.now).toBeLessThan(100)
  expect(await run('Ann', 'Ann', 1_000)).toEqual({ afterMs: expect.any(Number) })
  await run('Ben')
  expect(clock.now).toBeLessThan(100)
  await run('Ann')
  expect(clock.now).toBeGreaterThanOrEqual(5_900)
})

test('a pause that the provider wants is kept: of one person, or of the number', async () => {
  const { limiter, run } = open()
  limiter.hold({ numberId: 'n', contact: 'Ann', ms: 5_000 })
  expect(await run('Ann', 'Ann', 1_000)).toEqual({ afterMs: 5_000 })
  expect(await run('Ben', 'Ben', 1_000)).toHaveProperty('result')
  limiter.hold({ numberId: 'n', ms: 7_000 })
  expect(await run('Ben', 'Ben', 1_000)).toEqual({ afterMs: 7_000 })
})

test('tries again after 1, 4, 16, 64 and 256 seconds, a fifth more or less, and then no more', () => {
  const error = { retriesMax: 5, afterMs: 0 }
  const waits = (random: () => number) =>
    [0, 1, 2, 3, 4, 5].map((attempt) => nextRetryMs({ error, attempt, random }))
  expect(waits(() => 0.5)).toEqual([1_000, 4_000, 16_000, 64_000, 256_000, null])
  expect(waits(() => 0)[1]).toBe(3_200)
  expect(waits(() => 1)[1]).toBe(4_800)
  expect(nextRetryMs({ error: { retriesMax: 5, afterMs: 60_000 }, attempt: 0 })).toBe(60_000)
})
