import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createRedisLink } from '../cluster/link-servers.ts'
import { createPushNews } from '../push/push-news.ts'
import { openPushClock } from '../testing/open-push-clock.ts'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'
import { createFronts } from './fronts.ts'
import { createPresence } from './presence.ts'
import { shareFronts } from './shared-fronts.ts'
import { createSharedPresence } from './shared-presence.ts'

const opened = { closing: [] as (() => void)[] } as { redis: TestRedis; closing: (() => void)[] }
beforeAll(async () => {
  opened.redis = await startRedis()
})
afterEach(() => {
  for (const close of opened.closing.splice(0)) close()
})
afterAll(() => opened.redis.close())

const waiting = { timeout: 60_000 }
const fail = (error: unknown) => {
  throw error
}
const [ann, ben] = ['ann', 'ben']

/** One server: who looks at a device there, what it knows of the others, and what it would push. */
async function startServer() {
  const link = createRedisLink({ url: opened.redis.url, group: 'fronts', onError: fail })
  const writeLastSeen = async () => {}
  const presence = createSharedPresence({
    presence: createPresence({ writeLastSeen, onError: fail, graceMs: 20 }),
    link,
    writeLastSeen,
    onError: fail,
  })
  const fronts = createFronts()
  const shared = shareFronts({
    fronts,
    link,
    findServers: presence.findServers,
    answersWithinMs: waiting.timeout,
  })
  const pushed: string[] = []
  const answers: boolean[] = []
  const news = createPushNews({
    subscriptions: {
      listOf: async (userId) => [
        {
          _id: `push:${userId}`,
          userId,
          sessionId: 's',
          endpoint: '',
          keys: { p256dh: '', auth: '' },
          addedAt: 0,
        },
      ],
    },
    queue: { add: ({ messageIds }) => pushed.push(...messageIds) > 0 },
    fronts: {
      ...shared,
      async has(userId) {
        const isFront = await shared.has(userId)
        answers.push(isFront)
        return isFront
      },
    },
    clock: openPushClock().clock,
    onError: fail,
  })
  opened.closing.push(news.close, shared.close, presence.drop, link.close)
  expect(await link.waitUntilUp(waiting.timeout)).toBe(true)

  /** Ann's device here, which says that she looks at it. */
  function look() {
    const connection = {
      caller: { userId: ann, sessionId: 's' },
      understands: ['front'] as const,
      hasLine: false,
      send: () => true,
      close() {},
    }
    presence.arrive(ann)
    fronts.record(connection, true)
    return { lookAway: () => fronts.record(connection, false) }
  }
  const say = (_id: string) => news.record({ _id, senderId: ben, recipientId: ann })
  return { link, presence, look, say, pushed, answers }
}

it('who looks at a device at one server is not pushed to by the other, until she looks away', async () => {
  const [one, two] = [await startServer(), await startServer()]
  const { lookAway } = one.look()
  await expect.poll(() => two.presence.findServers(ann), waiting).toEqual([one.link.serverId])
  two.say('while she looks')
  await expect.poll(() => two.answers, waiting).toEqual([true])
  expect(two.pushed).toEqual([])

  lookAway()
  await expect.poll(() => two.pushed, waiting).toEqual(['while she looks'])
  two.say('after that')
  await expect.poll(() => two.pushed, waiting).toEqual(['while she looks', 'after that'])
  expect(one.pushed).toEqual([])
})

it('who is only connected at the other server, and looks away, is pushed to at once', async () => {
  const [one, two] = [await startServer(), await startServer()]
  one.look().lookAway()
  await expect.poll(() => two.presence.findServers(ann), waiting).toEqual([one.link.serverId])
  two.say('nobody looks')
  await expect.poll(() => two.pushed, waiting).toEqual(['nobody looks'])
  expect(two.answers).toEqual([false])
})
