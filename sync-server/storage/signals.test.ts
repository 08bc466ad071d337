import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRedisLink } from '../cluster/link-servers.ts'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'
import { createSignals } from './documents/signals.ts'
import { createSharedSignals } from './shared-signals.ts'
import { describeSignals, look } from './signals.contract.ts'

const opened = { closing: [] as (() => void)[] } as { redis: TestRedis; closing: (() => void)[] }
beforeAll(async () => {
  opened.redis = await startRedis()
})
afterEach(() => {
  for (const close of opened.closing.splice(0)) close()
})
afterAll(() => opened.redis.close())

async function openShared() {
  const onError = (error: unknown) => {
    throw error
  }
  const link = createRedisLink({ url: opened.redis.url, group: 'signals', onError })
  const signals = createSharedSignals({ link })
  opened.closing.push(signals.close, link.close)
  expect(await link.waitUntilUp(10_000)).toBe(true)
  return { ...signals, link }
}

describeSignals('in one process', createSignals)
describeSignals('shared over Redis', openShared)

describe('signals of two servers', () => {
  const waiting = { timeout: 15_000 }
  const long = { timeoutMs: 20_000 }

  /** Two servers that both read the notes, up to 7. */
  async function openTwo() {
    const [one, two] = [await openShared(), await openShared()]
    const settle = () => {
      for (const signals of [one, two]) look(signals, 'notes', 7)
      return [one.lastSeq('notes'), two.lastSeq('notes')]
    }
    // Each server that connects makes the others forget.
    await expect.poll(settle, waiting).toEqual([7, 7])
    return { one, two }
  }

  test('wake who waits at the other', async () => {
    const { one, two } = await openTwo()
    const waiting = two.wait('notes', 7, long)
    one.notify('notes', 8)
    expect(await waiting).toBe(true)
  })

  test('P7: do not take what comes late for the newest', async () => {
    const { one, two } = await openTwo()
    // Two has written up to 9; then it hears that One wrote up to 8, which its client has seen.
    two.notify('notes', 9)
    one.notify('notes', 8)
    await expect.poll(() => two.lastSeq('notes'), waiting).not.toBe(9)
    expect(await two.wait('notes', 8, long)).toBe(true)
  })

  test('P7: tell who listens at the other that something is new, but not what; and when they may have missed it', async () => {
    const { one, two } = await openTwo()
    const heard: unknown[] = []
    let missed = 0
    two.subscribe((name, _seq, news) => heard.push([name, news]))
    two.onMissed(() => {
      missed += 1
    })
    one.notify('notes', 8, { from: 7, docs: [] })
    await expect.poll(() => heard, waiting).toEqual([['notes', undefined]])
    expect(missed).toBe(0)
    await opened.redis.stop()
    // Once because the link is down, then repeatedly while it stays down.
    await expect.poll(() => missed, waiting).toBeGreaterThan(1)
    await opened.redis.start()
    expect(await two.link.waitUntilUp(10_000)).toBe(true)
  })

  test('P7: make everybody look who waits when Redis goes, now and then while it is away, and when it is back', async () => {
    const { two } = await openTwo()
    const first = two.wait('notes', 7, long)
    await opened.redis.stop()
    expect(await first).toBe(true)
    look(two, 'notes', 7)
    expect(await two.wait('notes', 7, long)).toBe(true)
    look(two, 'notes', 7)
    const last = two.wait('notes', 7, long)
    await opened.redis.start()
    expect(await last).toBe(true)
    expect(await two.link.waitUntilUp(10_000)).toBe(true)
  })
})
