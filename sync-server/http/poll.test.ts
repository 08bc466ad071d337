import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { openTestPoller, type TestPoller } from '../testing/open-test-poller.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const opened = { pollers: [] as TestPoller[] } as {
  app: TestApp
  ann: TestPerson
  ben: TestPerson
  pollers: TestPoller[]
}
beforeAll(async () => {
  opened.app = await startTestApp({}, { presenceGraceMs: 50, idleCloseMs: 100 })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterEach(() => Promise.all(opened.pollers.splice(0).map((poller) => poller.stop())))
afterAll(() => opened.app.close())

/** Shorter than a poll's own wait, after which it would be answered anyway. */
const atOnce = { timeout: limits.syncPollMaxMs - 5_000 }

/** A device that polls, once it has been greeted. */
async function poll(person: TestPerson, token = person.token, understands = '') {
  const poller = openTestPoller({ url: opened.app.url, token, understands })
  opened.pollers.push(poller)
  await expect.poll(() => poller.last('users-online')).toContain(person.userId)
  return poller
}

async function askOnce(pollerId: string, token = opened.ann.token) {
  return await opened.app.call('GET', `/poll?poller=${pollerId}`, { token })
}

async function isBenOnline() {
  const path = `/api/users/${opened.ben.userId}/activity`
  return (await opened.app.call('GET', path, { token: opened.ann.token })).body.isOnline
}

describe('a device that polls', () => {
  it('is greeted at once, and counts for presence until it goes', async () => {
    const ben = await poll(opened.ben)
    expect(await isBenOnline()).toBe(true)
    await ben.stop()
    await expect.poll(isBenOnline).toBe(false)
  })

  it('hears the events that a socket hears, and is heard by sockets', async () => {
    const ben = await poll(opened.ben)
    const ann = await openTestSocket({ url: opened.app.url, token: opened.ann.token })
    await expect.poll(() => ben.last('users-online')).toContain(opened.ann.userId)
    ann.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.last('user-typing')).toEqual({ userId: opened.ann.userId })
    ann.say('send-message', { recipientId: opened.ben.userId, message: 'to a poller' })
    await expect
      .poll(() => ben.last('receive-message'))
      .toMatchObject({ content: 'to a poller', senderUsername: 'Ann' })

    expect(await ben.say('typing', { recipientId: opened.ann.userId })).toBe(200)
    await expect.poll(() => ann.last('user-typing')).toEqual({ userId: opened.ben.userId })
    const message = { recipientId: opened.ann.userId, message: 'from a poller' }
    expect(await ben.say('send-message', message)).toBe(200)
    await expect
      .poll(() => ann.last('receive-message'))
      .toMatchObject({ content: 'from a poller', senderUsername: 'Ben' })
    ann.socket.close()
    await ann.closed
  })

  it('that understands changes is told who comes and goes, and no second list', async () => {
    const ben = await poll(opened.ben, opened.ben.token, 'from-the-future,presence-changes')
    const { userId, token } = await opened.app.register('Dan')
    const dan = await openTestSocket({ url: opened.app.url, token })
    // Ann's goodbye, or his own between two polls, may follow.
    const listTold = (change: 'online' | 'offline') =>
      ben.heard.flatMap((one) => (one.event === 'presence-changed' ? one.data[change] : []))
    await expect.poll(() => listTold('online')).toContain(userId)
    dan.socket.close()
    await expect.poll(() => listTold('offline')).toContain(userId)
    expect(ben.count('users-online')).toBe(1)
  })

  it('hears by its next poll what came while it did not ask', async () => {
    const ben = await poll(opened.ben)
    await ben.stop()
    const ann = await poll(opened.ann)
    await ann.say('typing', { recipientId: opened.ben.userId })
    await ann.say('stop-typing', { recipientId: opened.ben.userId })
    const { body } = await askOnce(ben.pollerId, opened.ben.token)
    const events = body.events.map(({ event }: { event: string }) => event)
    expect(events.filter((event: string) => event !== 'users-online')).toEqual([
      'user-typing',
      'user-stop-typing',
    ])
  })

  it('P6: hears of a message that was refused', async () => {
    const ann = await poll(opened.ann)
    const message = { _id: uuidv7(), content: '  ' }
    await ann.say('send-message', { recipientId: opened.ben.userId, message })
    await expect
      .poll(() => ann.last('message-refused'))
      .toMatchObject({ messageId: message._id, code: 'empty' })
  })

  it('is answered at once when it asks again before its answer came', atOnce, async () => {
    const pollerId = uuidv7()
    const askTwice = () => Promise.race([askOnce(pollerId), askOnce(pollerId)])
    // The server sends who is online first, in separate answers.
    await expect.poll(async () => (await askTwice()).body).toEqual({ events: [] })
  })

  it('is signed out when its sign-in ends, and no other', atOnce, async () => {
    const body = { username: 'Ann', password: opened.ann.password }
    const { token } = (await opened.app.call('POST', '/api/auth/login', { body })).body
    const ended = await poll(opened.ann, token)
    const other = await poll(opened.ann)
    await opened.app.call('POST', '/api/auth/logout', { token })
    expect(await ended.ended).toBe(401)
    expect(await other.say('user-online', opened.ann.userId)).toBe(200)
  })

  it('P9: keeps no database open', async () => {
    await Promise.all(Array.from({ length: 20 }, () => poll(opened.ann)))
    await expect.poll(() => opened.app.stats().openDatabases).toBe(0)
  })
})

describe('/poll', () => {
  it('P8: opens to nobody without a token', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await opened.app.call(method, '/poll')).status).toBe(401)
    }
  })

  it.each([
    ['no poller', { events: [{ event: 'user-online' }] }],
    ['a poller that is no id', { poller: './x', events: [{ event: 'user-online' }] }],
    ['no events', { poller: uuidv7(), events: [] }],
    ['an unknown event', { poller: uuidv7(), events: [{ event: 'become-admin', data: {} }] }],
    ['a prototype', { poller: uuidv7(), events: [{ event: '__proto__', data: {} }] }],
    ['a server’s event', { poller: uuidv7(), events: [{ event: 'users-online', data: [] }] }],
    [
      'wrong data',
      { poller: uuidv7(), events: [{ event: 'typing', data: { recipientId: { $ne: null } } }] },
    ],
    ['too many', { poller: uuidv7(), events: Array(101).fill({ event: 'user-online' }) }],
    ['a list', []],
  ])('refuses %s', async (_what, body) => {
    const answer = await opened.app.call('POST', '/poll', { token: opened.ann.token, body })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: expect.any(String), code: 'invalid_input' })
  })

  it('says what is wrong in a sentence, and where in its details', async () => {
    const body = { events: [{ event: 'user-online' }] }
    const answer = await opened.app.call('POST', '/poll', { token: opened.ann.token, body })
    expect(answer.body).toEqual({
      error: "Something in this request isn't right. Check it and try again.",
      code: 'invalid_input',
      details: 'poller must be string',
    })
  })

  it('slows down who floods', async () => {
    const event = { event: 'stop-typing', data: { recipientId: opened.ben.userId } }
    const body = { poller: uuidv7(), events: Array(100).fill(event) }
    const say = () => opened.app.call('POST', '/poll', { token: opened.ann.token, body })
    // The number depends on speed: the budget refills all the time.
    const flood = async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, say))
      return answers.find(({ status }) => status === 429)?.headers.get('retry-after')
    }
    await expect.poll(flood).toBe('2')
  })

  it('gives one person a limited number of lines', async () => {
    const cyd = await opened.app.register('Cyd')
    const pollers = Array.from({ length: 32 }, () =>
      openTestPoller({ url: opened.app.url, token: cyd.token }),
    )
    opened.pollers.push(...pollers)
    await Promise.all(
      pollers.map((poller) => expect.poll(() => poller.count('users-online')).toBeGreaterThan(0)),
    )
    expect((await askOnce(uuidv7(), cyd.token)).status).toBe(429)
  })

  it('tells the server’s time, and is never kept by a cache', async () => {
    const { headers } = await askOnce(uuidv7())
    expect(Number(headers.get('x-petrel-now'))).toBeGreaterThan(0)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('tells the time at which it answers, not the one at which it was asked', async () => {
    const waitMs = 200
    const begun = Date.now()
    const path = `/sync/messages/_changes?feed=longpoll&since=now&timeout=${waitMs}`
    const { headers } = await opened.app.call('GET', path, { token: opened.ann.token })
    expect(Number(headers.get('x-petrel-now'))).toBeGreaterThanOrEqual(begun + waitMs - 10)
  })
})
