import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import {
  holdTestBody,
  openTestRequest,
  readTestLevel,
  type TestRequest,
} from '../testing/open-test-request.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import type { BudgetLimits } from './budget-limits.ts'

const opened = { sockets: [] as Socket[] } as { app: TestApp; ann: TestPerson; sockets: Socket[] }
afterEach(async () => {
  for (const socket of opened.sockets.splice(0)) socket.destroy()
  await opened.app.close()
})

async function open(budget: Partial<BudgetLimits> = {}, env: Record<string, string> = {}) {
  opened.app = await startTestApp(env, { budget })
  opened.ann = await opened.app.register('Ann')
}

const level = (name: string) => readTestLevel(opened.app, name)

/** A connection that has sent `text` and then falls silent. */
async function holdConnection(text = '') {
  const socket = connect({ port: opened.app.port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  opened.sockets.push(socket)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const halfSignIn = [
  'POST /api/auth/login HTTP/1.1',
  'host: petrel',
  'content-type: application/json',
  'content-length: 60',
  '',
  '{"user',
].join('\r\n')

/** A request on its own connection, as a new caller makes it. */
async function ask(request: { token?: string; method?: string; path: string; body?: unknown }) {
  const asked = await (request.body === undefined
    ? openTestRequest({ port: opened.app.port, ...request, headers: { connection: 'close' } })
    : holdTestBody({
        port: opened.app.port,
        sent: 1_000,
        ...request,
        body: request.body,
        headers: { connection: 'close' },
      }))
  return await asked.closed
}

const logIn = () => {
  const body = { username: 'Ann', password: opened.ann.password }
  return ask({ method: 'POST', path: '/api/auth/login', body })
}
const readMe = () => ask({ path: '/api/users/me', token: opened.ann.token })
/** Nobody is late, however slow this machine is. */
const unhurried = { lateAfterMs: 60_000, strangerPatienceMs: 60_000 }
const quick = { strangerPatienceMs: 400, patienceMs: 800 }

describe('P12: a body that does not come', () => {
  it.each([
    ['POST', '/api/auth/login', undefined],
    ['POST', '/api/auth/register', undefined],
    ['PUT', '/api/users/profile', 'Ann'],
    ['POST', '/sync/messages/_bulk_docs', 'Ann'],
  ])('%s %s is answered, and its connection closed', async (method, path, who) => {
    await open(quick)
    const token = who && { token: opened.ann.token }
    const body = { username: 'ann', password: 'x'.repeat(100) }
    const held = await holdTestBody({ port: opened.app.port, method, path, ...token, body })
    const { status, text } = await held.closed
    expect(status).toBe(408)
    expect(text).toContain('This request stopped on its way. Please try it again.')
  })

  it('is not waited for where nobody reads it, either', async () => {
    await open(quick)
    for (const path of ['/nothing', '/healthz', '/api/users/me', '/sync/messages/_bulk_docs']) {
      const held = await holdTestBody({ port: opened.app.port, path, body: { a: 'b'.repeat(100) } })
      expect([200, 401, 404, 405]).toContain((await held.closed).status)
    }
  })

  it('byte by byte is given up too', async () => {
    await open(quick)
    const body = { username: 'ann', password: 'x'.repeat(200) }
    const held = await holdTestBody({ port: opened.app.port, path: '/api/auth/login', body })
    const dripping = setInterval(() => held.send('x'), 50)
    const { status } = await held.closed
    clearInterval(dripping)
    expect(status).toBe(408)
  })

  it('over a line of 64 kbit/s arrives', async () => {
    await open({ strangerPatienceMs: 3_000, patienceMs: 3_000 })
    const body = { docs: [], note: 'x'.repeat(40_000) }
    const held = await holdTestBody({
      port: opened.app.port,
      path: '/sync/messages/_bulk_docs',
      body,
      token: opened.ann.token,
      sent: 800,
    })
    const rest = JSON.stringify(body).slice(800)
    for (let at = 0; at < rest.length; at += 800) {
      // The line itself, not a wait for something.
      await new Promise((resolve) => setTimeout(resolve, 100))
      held.send(rest.slice(at, at + 800))
    }
    await expect.poll(held.status).toBe(201)
    held.hangUp()
  })
})

describe('P12: connections of strangers', () => {
  const few = { strangersPerNetwork: 20, strangersOverall: 30, strangersOnTrial: 5 }

  it('that say nothing are closed, and so are half-sent sign-ins', async () => {
    await open(quick)
    const head = `GET /api/users/me HTTP/1.1\r\nhost: petrel\r\nauthorization: Bearer ${opened.ann.token}\r\n\r\n`
    const own = await holdConnection(head)
    await once(own, 'data')
    for (const text of ['', 'GET /', halfSignIn, 'GET /healthz HTTP/1.1\r\nhost: petrel\r\n\r\n']) {
      for (let count = 0; count < 50; count += 1) await holdConnection(text)
    }
    const strangers = opened.sockets.filter((socket) => socket !== own)
    for (const socket of strangers) socket.resume()
    await expect.poll(() => strangers.filter(({ closed }) => !closed).length).toBe(0)
    // A person's is kept: a request that leaves while its connection closes is lost.
    own.write(head)
    await expect(once(own, 'data')).resolves.toBeDefined()
  })

  it('are of a bounded number, and people get in all the same', async () => {
    await open({ ...few, ...unhurried })
    for (let count = 0; count < 60; count += 1) await holdConnection(halfSignIn)
    expect(await level('petrel_stranger_connections')).toBeLessThanOrEqual(20)
    expect((await readMe()).status).toBe(200)
    const refused = await logIn()
    expect([refused.status, refused.text.includes('"busy"')]).toEqual([503, true])
    expect(refused.text).toMatch(/^retry-after: \d+\r$/im)
    expect((await ask({ path: '/healthz' })).status).toBe(200)
    const socket = await openTestSocket({ url: opened.app.url, token: opened.ann.token })
    await expect.poll(() => socket.last('users-online')).toContain(opened.ann.userId)
    socket.socket.close()
  })

  it('give way to new ones once they are late, so that anybody can sign in', async () => {
    await open({ ...few, lateAfterMs: 100 })
    for (let count = 0; count < 60; count += 1) await holdConnection(halfSignIn)
    await expect.poll(async () => (await logIn()).status).toBe(200)
    expect(await level('petrel_budget_ended_total')).toBeGreaterThan(0)
  })

  it('do not count once they have shown a good sign-in', async () => {
    await open(few)
    const openFeed = () =>
      openTestRequest({
        port: opened.app.port,
        token: opened.ann.token,
        path: '/sync/messages/_changes?feed=longpoll&since=now',
      })
    const feeds: TestRequest[] = []
    // Before their sign-in is checked they are strangers, and 20 of those may connect.
    while (feeds.length < 60) {
      feeds.push(...(await Promise.all(Array.from({ length: 10 }, openFeed))))
      await expect.poll(() => level('petrel_waiting_feeds')).toBe(feeds.length)
    }
    expect((await logIn()).status).toBe(200)
    for (const feed of feeds) feed.hangUp()
  })

  it('behind a proxy are all the proxy’s: only their number counts', async () => {
    await open({ ...few, strangersPerNetwork: 2 }, { TRUST_PROXY: '1' })
    for (let count = 0; count < 10; count += 1) await holdConnection(halfSignIn)
    expect((await logIn()).status).toBe(200)
    expect(await level('petrel_stranger_connections')).toBeGreaterThan(10)
  })

  it('behind a proxy have their requests counted by the address that it names', async () => {
    await open({ requestsPerNetwork: 5, ...unhurried }, { TRUST_PROXY: '1' })
    const hold = (address: string) =>
      holdTestBody({
        port: opened.app.port,
        path: '/api/auth/login',
        body: { username: 'ann' },
        headers: { 'x-forwarded-for': address },
      })
    const held = await Promise.all(Array.from({ length: 5 }, () => hold('192.0.2.1')))
    await expect.poll(() => level('petrel_open_requests')).toBe(6)
    const refused = await hold('192.0.2.1')
    await expect.poll(refused.text).toContain('"too_many_at_once"')
    const other = await hold('192.0.2.2')
    other.sendRest()
    await expect.poll(other.status).toBe(400)
    for (const one of [...held, refused, other]) one.hangUp()
  })
})

describe('P12: one person', () => {
  it('has a bounded number of connections: what says nothing gives way to what is new', async () => {
    await open({ connectionsPerPerson: 5, lateAfterMs: 0 })
    const halves: TestRequest[] = []
    for (let count = 0; count < 12; count += 1) {
      const path = '/api/users/me'
      const { token } = opened.ann
      const half = await openTestRequest({ port: opened.app.port, token, path })
      await expect.poll(half.status).toBe(200)
      half.send(halfSignIn)
      halves.push(half)
    }
    expect((await readMe()).status).toBe(200)
    expect(await level('petrel_budget_ended_total')).toBeGreaterThanOrEqual(7)
    for (const half of halves) half.hangUp()
  })

  it('has a bounded number of requests, and is told so; nobody else is', async () => {
    await open({ requestsPerPerson: 10 })
    const ben = await opened.app.register('Ben')
    const path = '/sync/messages/_changes?feed=longpoll&since=now'
    const { port } = opened.app
    const waiting = await Promise.all(
      Array.from({ length: 10 }, () => openTestRequest({ port, path, token: opened.ann.token })),
    )
    await expect.poll(() => level('petrel_waiting_feeds')).toBe(10)
    const refused = await opened.app.call('GET', '/api/users/me', { token: opened.ann.token })
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: 'Too much at once. Please wait a moment and try again.', code: 'too_many_at_once' },
    ])
    expect(refused.headers.get('retry-after')).toBe('2')
    const sync = await opened.app.call('GET', '/sync/messages/', { token: opened.ann.token })
    expect([sync.status, sync.body.error]).toEqual([429, 'too_many_requests'])
    expect(sync.headers.get('retry-after')).toBe('2')
    expect((await opened.app.call('GET', '/api/users/me', { token: ben.token })).status).toBe(200)
    for (const one of waiting) one.hangUp()
    const ask = async () =>
      (await opened.app.call('GET', '/api/users/me', { token: opened.ann.token })).status
    await expect.poll(ask).toBe(200)
  })

  it('gets back what they hold when they hang up, however early', async () => {
    await open()
    // No sign-in is cached: the server must read it first.
    await opened.app.restart()
    const { token } = opened.ann
    const { port } = opened.app
    const asked = await Promise.all(
      Array.from({ length: 200 }, () => openTestRequest({ port, token, path: '/api/users' })),
    )
    for (const one of asked) one.hangUp()
    await expect.poll(() => level('petrel_open_requests')).toBe(1)
    expect((await readMe()).status).toBe(200)
    expect(await level('petrel_open_requests')).toBe(1)
  })

  it('with twenty tabs and several devices meets no bound', async () => {
    await open()
    const { token } = opened.ann
    const feeds = ['messages', 'conversations'].flatMap((name) =>
      Array.from({ length: 25 }, () =>
        opened.app.call('GET', `/sync/${name}/_changes?feed=longpoll&since=now&timeout=2000`, {
          token,
        }),
      ),
    )
    const paths = ['users/me', 'users', 'messages/conversations', 'messages/starred']
    const asked = paths.flatMap((path) =>
      Array.from({ length: 25 }, () => opened.app.call('GET', `/api/${path}`, { token })),
    )
    const statuses = (await Promise.all([...feeds, ...asked])).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('has a bounded number of bytes that are being read from them', async () => {
    await open({ bytesPerPerson: 1_000_000, lateAfterMs: 60_000 })
    const body = { docs: ['x'.repeat(limits.syncBodyMaxBytes / 8)] }
    const { token } = opened.ann
    const push = () =>
      holdTestBody({
        port: opened.app.port,
        path: '/sync/messages/_bulk_docs',
        token,
        body,
        sent: 900_000,
      })
    const first = await push()
    await expect.poll(() => level('petrel_bytes_in_flight')).toBe(900_000)
    const second = await push()
    const third = await push()
    const answers = await Promise.race([second.closed, third.closed])
    expect([answers.status, answers.text.includes('too_many_requests')]).toEqual([429, true])
    expect(await level('petrel_bytes_in_flight')).toBeLessThan(2_000_000)
    for (const one of [first, second, third]) one.hangUp()
    await expect.poll(() => level('petrel_bytes_in_flight')).toBe(0)
  })
})
