import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Settings } from '../../schema/settings.ts'
import { openTestBarrier, untilNobodyIsOnline } from '../testing/open-test-presence.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import type { TestApp, TestPerson } from '../testing/start-test-app.ts'
import { startTestServers, type TestServers } from '../testing/start-test-servers.ts'

/** Ann changes what she shows at server one; Cleo, a stranger, tries the doors of server two. */
const opened = { sockets: [] as TestSocket[], barriers: 0 } as {
  servers: TestServers
  ann: TestPerson
  cleo: TestPerson
  eve: TestPerson
  sockets: TestSocket[]
  barriers: number
}
beforeAll(async () => {
  opened.servers = await startTestServers({}, { presenceGraceMs: 50, announceEveryMs: 20 })
  const { one, two } = opened.servers
  opened.ann = await one.register('Ann')
  opened.cleo = await two.register('Cleo')
  opened.eve = await two.register('Eve')
  await put('/users/profile', { phone_number: '16505551234', status: 'at sea' })
})
beforeEach(() =>
  put('/users/settings', {
    lastSeenFor: 'everybody',
    onlineFor: 'everybody',
    aboutFor: 'everybody',
    pictureFor: 'everybody',
    firstMessagesFrom: 'everybody',
  }),
)
afterEach(async () => {
  for (const { socket, closed } of opened.sockets.splice(0)) {
    socket.close()
    await closed
  }
  await untilNobodyIsOnline(opened.servers)
})
afterAll(() => opened.servers.close())

const waiting = { timeout: 60_000 }

/** Ann, at server one. */
async function put(path: string, body: object) {
  const answer = await opened.servers.one.call('PUT', `/api${path}`, {
    token: opened.ann.token,
    body,
  })
  expect(answer.status).toBe(200)
}
const set = (change: Partial<Settings>) => put('/users/settings', change)
const setBlocked = (blocked: boolean) => put(`/users/${opened.cleo.userId}/block`, { blocked })

/** Cleo, at server two. */
const ask = (path: string) =>
  opened.servers.two.call('GET', `/api${path}`, { token: opened.cleo.token })

async function connect(server: TestApp, { token }: TestPerson, understands: string[] = []) {
  const socket = await openTestSocket({ url: server.url, token, understands })
  opened.sockets.push(socket)
  return socket
}

/** Server two has heard all that server one has said: more than that a remembered answer grew old. */
async function openBarrier() {
  const { one, two } = opened.servers
  opened.barriers += 1
  const barrier = await openTestBarrier({ from: one, to: two, name: `Dora-${opened.barriers}` })
  opened.sockets.push(...barrier.sockets)
  return barrier.pass
}

interface Seen {
  _id: string
  status: string
  isOnline: boolean
  lastSeen: string | null
}

/** Ann as Cleo sees her through each door of server two. */
async function readDoors(): Promise<Record<string, Seen>> {
  const { userId } = opened.ann
  const find = async (path: string) =>
    ((await ask(path)).body as Seen[]).find(({ _id }) => _id === userId) as Seen
  return {
    one: (await ask(`/users/${userId}`)).body,
    all: await find('/users'),
    search: await find('/users/search/Ann'),
    phone: (await ask('/users/phone/16505551234')).body,
    phones: await find('/users/search/phone/650555'),
  }
}

async function expectAtDoors(expected: Partial<Seen>) {
  for (const [door, seen] of Object.entries(await readDoors())) {
    expect({ door, ...seen }).toMatchObject({ door, ...expected })
  }
}

const readActivity = async () => (await ask(`/users/${opened.ann.userId}/activity`)).body

describe('P8: what is changed at one server holds at the doors of the other, at once', () => {
  it('About, and when somebody was last seen', async () => {
    const pass = await openBarrier()
    const anns = await connect(opened.servers.one, opened.ann)
    await expect.poll(() => anns.count('users-online'), waiting).toBeGreaterThan(0)
    anns.socket.close()
    await anns.closed
    await expect.poll(async () => (await readActivity()).lastSeen, waiting).not.toBeNull()
    await expectAtDoors({ status: 'at sea', lastSeen: expect.any(String) })

    await set({ aboutFor: 'chats', lastSeenFor: 'chats' })
    await pass()
    await expectAtDoors({ status: '', lastSeen: null })
    expect((await readActivity()).lastSeen).toBeNull()

    await set({ aboutFor: 'everybody', lastSeenFor: 'everybody' })
    await pass()
    await expectAtDoors({ status: 'at sea', lastSeen: expect.any(String) })
  })

  it('that somebody is online: for REST, search and the socket', async () => {
    const pass = await openBarrier()
    await connect(opened.servers.one, opened.ann)
    const cleos = await connect(opened.servers.two, opened.cleo)
    const shown = () => cleos.last('users-online')
    await expect.poll(shown, waiting).toContain(opened.ann.userId)
    await expectAtDoors({ isOnline: true })

    await set({ onlineFor: 'chats' })
    await pass()
    await expectAtDoors({ isOnline: false })
    expect((await readActivity()).isOnline).toBe(false)
    await expect.poll(shown, waiting).not.toContain(opened.ann.userId)

    await set({ onlineFor: 'everybody' })
    await pass()
    await expectAtDoors({ isOnline: true })
    await expect.poll(shown, waiting).toContain(opened.ann.userId)
  })

  it('that a person who hides begins a chat: who may see them then does', async () => {
    const { one, two } = opened.servers
    const fay = await two.register('Fay')
    const pass = await openBarrier()
    await set({ onlineFor: 'chats' })
    await pass()
    await connect(one, opened.ann)
    const fays = await connect(two, fay, ['presence-changes'])
    await expect.poll(() => fays.count('users-online'), waiting).toBeGreaterThan(0)
    const path = `/api/users/${opened.ann.userId}/activity`
    const isShown = async () => (await two.call('GET', path, { token: fay.token })).body.isOnline
    expect(await isShown()).toBe(false)
    const body = { recipientId: fay.userId, content: 'hello Fay' }
    expect(
      (await one.call('POST', '/api/messages', { token: opened.ann.token, body })).status,
    ).toBe(201)
    await expect.poll(() => fays.last('users-online'), waiting).toContain(opened.ann.userId)
    expect(await isShown()).toBe(true)
  })

  it('a block: presence, typing and messages', async () => {
    const pass = await openBarrier()
    const anns = await connect(opened.servers.one, opened.ann)
    const cleos = await connect(opened.servers.two, opened.cleo)
    const { two } = opened.servers
    const { token } = opened.cleo
    await expect.poll(() => cleos.last('users-online'), waiting).toContain(opened.ann.userId)
    await expectAtDoors({ isOnline: true })

    await setBlocked(true)
    await pass()
    await expectAtDoors({ isOnline: false, lastSeen: null })
    expect(await readActivity()).toEqual({ isOnline: false, lastSeen: null })
    await expect.poll(() => cleos.last('users-online'), waiting).not.toContain(opened.ann.userId)
    await expect.poll(() => anns.last('users-online'), waiting).not.toContain(opened.cleo.userId)
    cleos.say('typing', { recipientId: opened.ann.userId })
    const body = { recipientId: opened.ann.userId, content: 'unheard' }
    const sent = await two.call('POST', '/api/messages', { token, body })
    expect(sent.status).toBe(201)

    await setBlocked(false)
    await pass()
    await expectAtDoors({ isOnline: true })
    const again = { ...body, content: 'heard' }
    expect((await two.call('POST', '/api/messages', { token, body: again })).status).toBe(201)
    await expect.poll(() => anns.count('receive-message'), waiting).toBe(1)
    expect(anns.last('receive-message')).toMatchObject({ content: 'heard' })
    expect(anns.count('user-typing')).toBe(0)
  })

  it('who may write first', async () => {
    const pass = await openBarrier()
    const { two } = opened.servers
    const send = async () => {
      const body = { recipientId: opened.ann.userId, content: 'hello' }
      return await two.call('POST', '/api/messages', { token: opened.eve.token, body })
    }
    await set({ firstMessagesFrom: 'known' })
    await pass()
    const refused = await send()
    expect([refused.status, refused.body.code]).toEqual([403, 'not_accepted'])
    await set({ firstMessagesFrom: 'everybody' })
    await pass()
    expect((await send()).status).toBe(201)
  })
})
