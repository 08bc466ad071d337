import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createRedisLink } from '../cluster/link-servers.ts'
import type { LinkListener, ServerLink } from '../cluster/server-link.ts'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'
import { createPresence } from './presence.ts'
import { createSharedPresence } from './shared-presence.ts'

const opened = { closing: [] as (() => void)[] } as { redis: TestRedis; closing: (() => void)[] }
beforeAll(async () => {
  opened.redis = await startRedis()
})
afterEach(() => {
  for (const close of opened.closing.splice(0)) close()
})
afterAll(() => opened.redis.close())

const waiting = { timeout: 15_000 }
const fail = (error: unknown) => {
  throw error
}

/** One server's presence, with the last-seen times it stored. */
async function startServer() {
  const seen = new Map<string, number>()
  const writeLastSeen = async (userIds: readonly string[], at: number) => {
    for (const userId of userIds) seen.set(userId, at)
  }
  const link = createRedisLink({ url: opened.redis.url, group: 'presence', onError: fail })
  const presence = createSharedPresence({
    presence: createPresence({ writeLastSeen, onError: fail, graceMs: 20 }),
    link,
    writeLastSeen,
    onError: fail,
    beatEveryMs: 100,
    silentMs: 3_000,
  })
  opened.closing.push(presence.drop, link.close)
  expect(await link.waitUntilUp(10_000)).toBe(true)
  return { ...presence, seen, link }
}

const ann = 'ann'
const ben = 'ben'

it('a server that starts later learns who is online already', async () => {
  const one = await startServer()
  one.arrive(ann)
  const two = await startServer()
  await expect.poll(() => two.isOnline(ann), waiting).toBe(true)
  expect(two.findServers(ann)).toEqual([one.link.serverId])
  expect(one.findServers(ann)).toEqual([])
})

it('a device that goes from one server to another is no goodbye', async () => {
  const [one, two] = [await startServer(), await startServer()]
  one.arrive(ann)
  await expect.poll(() => two.listOnline(), waiting).toEqual([ann])
  two.arrive(ann)
  one.leave(ann)
  await expect.poll(() => two.findServers(ann), waiting).toEqual([])
  await expect.poll(() => one.isOnline(ann), waiting).toBe(true)
  expect(two.listOnline()).toEqual([ann])
  two.leave(ann)
  await expect.poll(() => one.isOnline(ann), waiting).toBe(false)
})

it('a server that dies takes its people with it, and their last time is kept', async () => {
  const [one, two] = [await startServer(), await startServer()]
  one.arrive(ann)
  two.arrive(ben)
  await expect.poll(() => two.listOnline().sort(), waiting).toEqual([ann, ben])
  one.link.close()
  one.drop()
  await expect.poll(() => two.isOnline(ann), waiting).toBe(false)
  expect(two.isOnline(ben)).toBe(true)
  await expect.poll(() => two.seen.has(ann), waiting).toBe(true)
  expect(two.seen.has(ben)).toBe(false)
})

it('a server that stops in order leaves its people time to come back elsewhere', async () => {
  const [one, two] = [await startServer(), await startServer()]
  one.arrive(ann)
  await expect.poll(() => two.isOnline(ann), waiting).toBe(true)
  // Ready before: starting it may take longer than people have.
  const three = await startServer()
  await one.close()
  expect(one.seen.has(ann)).toBe(true)
  three.arrive(ben)
  // Redis keeps the order: the other server heard the goodbye before this.
  await expect.poll(() => two.isOnline(ben), waiting).toBe(true)
  expect(two.isOnline(ann)).toBe(true)
})

it('without Redis nobody of another server has gone, and what was missed is caught up', async () => {
  const [one, two] = [await startServer(), await startServer()]
  one.arrive(ann)
  await expect.poll(() => two.isOnline(ann), waiting).toBe(true)
  await opened.redis.stop()
  await expect.poll(() => two.isOnline(ann), waiting).toBe(false)
  expect(two.seen.has(ann)).toBe(false)
  one.arrive(ben)
  await opened.redis.start()
  await expect.poll(() => two.listOnline().sort(), waiting).toEqual([ann, ben])
})

it('a server that stood still first hears what the others said meanwhile, and takes nobody for gone', async () => {
  const listeners = new Map<string, LinkListener>()
  const hear = (topic: string, data: unknown) => listeners.get(topic)?.(data, 'one')
  const said = { count: 0 }
  const link: ServerLink = {
    serverId: 'two',
    isUp: () => true,
    waitUntilUp: async () => true,
    publish() {
      said.count += 1
      // What waits in its line is read after the timers of this turn.
      setImmediate(() => hear('presence-beat', { version: 1 }))
    },
    tell: () => undefined,
    listen: (topic, listener) => {
      listeners.set(topic, listener)
      return () => void listeners.delete(topic)
    },
    onTurn: () => () => undefined,
    close: () => undefined,
  }
  const writeLastSeen = async () => {}
  const presence = createSharedPresence({
    presence: createPresence({ writeLastSeen, onError: fail }),
    link,
    writeLastSeen,
    onError: fail,
    beatEveryMs: 10,
    silentMs: 3_000,
  })
  opened.closing.push(presence.drop)
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  hear('presence-all', { version: 1, online: [ann] })
  const changed: string[] = []
  presence.onChanged((userIds) => changed.push(...userIds))
  vi.advanceTimersByTime(60_000)
  const before = said.count
  await expect.poll(() => said.count).toBeGreaterThan(before + 1)
  expect(changed).toEqual([])
  expect(presence.isOnline(ann)).toBe(true)
})
