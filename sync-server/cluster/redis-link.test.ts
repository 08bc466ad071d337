import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'
import { createRedisLink } from './link-servers.ts'
import type { ServerLink } from './server-link.ts'

const opened = { links: [] as ServerLink[] } as { redis: TestRedis; links: ServerLink[] }
beforeAll(async () => {
  opened.redis = await startRedis()
})
afterEach(() => {
  for (const link of opened.links.splice(0)) link.close()
})
afterAll(() => opened.redis.close())

const waiting = { timeout: 15_000 }

function join(group = 'test') {
  const errors: unknown[] = []
  const link = createRedisLink({ url: opened.redis.url, group, onError: (e) => errors.push(e) })
  const heard: [string, unknown][] = []
  link.listen('news', (data, from) => heard.push([from, data]))
  opened.links.push(link)
  return { ...link, heard, errors, isReady: () => expect.poll(link.isUp, waiting).toBe(true) }
}

it('servers hear what others say, to all or to one, and not themselves', async () => {
  const [one, two, three] = [join(), join(), join()]
  await Promise.all([one.isReady(), two.isReady(), three.isReady()])
  one.publish('news', { for: 'all' })
  one.tell(two.serverId, 'news', { for: 'two' })
  one.tell(one.serverId, 'news', { for: 'one' })
  await expect.poll(() => two.heard.length, waiting).toBe(2)
  expect(two.heard).toEqual([
    [one.serverId, { for: 'all' }],
    [one.serverId, { for: 'two' }],
  ])
  await expect.poll(() => three.heard, waiting).toEqual([[one.serverId, { for: 'all' }]])
  expect(one.heard).toEqual([])
})

it('another product on the same Redis is not heard', async () => {
  const [ours, theirs, friend] = [join(), join('theirs'), join()]
  await Promise.all([ours.isReady(), theirs.isReady(), friend.isReady()])
  theirs.publish('news', 'not for us')
  friend.publish('news', 'for us')
  await expect.poll(() => ours.heard, waiting).toEqual([[friend.serverId, 'for us']])
})

it('goes down with Redis, and comes up with it by itself', async () => {
  const [one, two] = [join(), join()]
  await Promise.all([one.isReady(), two.isReady()])
  const turns: boolean[] = []
  one.onTurn((isUp) => turns.push(isUp))
  await opened.redis.stop()
  // Each notices by itself: one that has not would pass for up again below.
  for (const link of [one, two]) await expect.poll(link.isUp, waiting).toBe(false)
  one.publish('news', 'lost')
  await opened.redis.start()
  await Promise.all([one.isReady(), two.isReady()])
  one.publish('news', 'heard again')
  await expect.poll(() => two.heard, waiting).toEqual([[one.serverId, 'heard again']])
  expect(turns).toEqual([false, true])
  expect(one.errors).toEqual([])
})

it('counts as down when the connection is open and nothing comes through', async () => {
  const one = join()
  await one.isReady()
  opened.redis.freeze()
  await expect.poll(one.isUp, waiting).toBe(false)
  opened.redis.thaw()
  await one.isReady()
})

it('a message that cannot be read harms nobody', async () => {
  const [one, two] = [join(), join()]
  await Promise.all([one.isReady(), two.isReady()])
  two.listen('odd', () => {
    throw new Error('not as it should be')
  })
  one.publish('odd', null)
  one.publish('news', 'after it')
  await expect.poll(() => two.heard.length, waiting).toBe(1)
  expect(two.errors).toEqual([new Error('not as it should be')])
})
