import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { openTestBarrier, untilNobodyIsOnline } from '../testing/open-test-presence.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import type { TestApp, TestPerson } from '../testing/start-test-app.ts'
import { startTestServers, type TestServers } from '../testing/start-test-servers.ts'

const opened = { sockets: [] as TestSocket[] } as {
  servers: TestServers
  ann: TestPerson
  ben: TestPerson
  sockets: TestSocket[]
}
beforeAll(async () => {
  opened.servers = await startTestServers({ RATE_LIMIT: 'on' }, { presenceGraceMs: 50 })
  opened.ann = await opened.servers.one.register('Ann')
  opened.ben = await opened.servers.two.register('Ben')
})
afterEach(async () => {
  for (const { socket, closed } of opened.sockets.splice(0)) {
    socket.close()
    await closed
  }
  await untilNobodyIsOnline(opened.servers)
})
afterAll(() => opened.servers.close())

/** Shorter than each server's own polling interval. */
const waiting = { timeout: 15_000 }
const annsServer = () => opened.servers.one
const bensServer = () => opened.servers.two

async function connect(server: TestApp, token: string) {
  const socket = await openTestSocket({ url: server.url, token })
  opened.sockets.push(socket)
  return socket
}

/** Connects Ann to server 1 and Ben to server 2; each sees the other. */
async function connectBoth() {
  const ann = await connect(annsServer(), opened.ann.token)
  const ben = await connect(bensServer(), opened.ben.token)
  await expect.poll(() => ann.last('users-online'), waiting).toContain(opened.ben.userId)
  await expect.poll(() => ben.last('users-online'), waiting).toContain(opened.ann.userId)
  return { ann, ben }
}

/** Whoever answers has the message from their own server, which heard its place before. */
async function openBarrier(from: TestApp, name: string) {
  const to = from === annsServer() ? bensServer() : annsServer()
  const barrier = await openTestBarrier({ from, to, name })
  opened.sockets.push(...barrier.sockets)
  return barrier.pass
}

function push(server: TestApp, sender: TestPerson, content: string, _id = uuidv7()) {
  const recipient = sender === opened.ann ? opened.ben : opened.ann
  const { raw } = proposeMessage({
    senderId: sender.userId,
    recipientId: recipient.userId,
    message: { content, _id },
  })
  const body = { docs: [raw] }
  return server.call('POST', '/sync/messages/_bulk_docs', { token: sender.token, body })
}

async function readMessages(server: TestApp, person: TestPerson): Promise<MessageDocument[]> {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await server.call('GET', path, { token: person.token })
  const docs = body.rows.map(({ doc }: { doc: MessageDocument }) => doc)
  return docs.sort((a: MessageDocument, b: MessageDocument) => a.orderedAt - b.orderedAt)
}

async function pollNews(server: TestApp, person: TestPerson) {
  const { body } = await server.call('GET', '/sync/messages/', { token: person.token })
  const since = encodeURIComponent(body.update_seq)
  const path = `/sync/messages/_changes?feed=longpoll&include_docs=true&since=${since}`
  return {
    /** The words of the first new message. */
    news: server
      .call('GET', path, { token: person.token })
      .then((answer) => answer.body.results[0]?.doc.content),
  }
}

describe('two servers on one CouchDB and one Redis', () => {
  it('bring a message from the one to a poll that waits at the other', async () => {
    const { news } = await pollNews(bensServer(), opened.ben)
    expect((await push(annsServer(), opened.ann, 'across')).status).toBe(201)
    expect(await news).toBe('across')
  })

  it('tell events across: new messages, typing, presence', async () => {
    const { ann, ben } = await connectBoth()
    ann.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.last('user-typing'), waiting).toEqual({ userId: opened.ann.userId })
    ben.say('send-message', { recipientId: opened.ann.userId, message: 'hello, server 1' })
    await expect
      .poll(() => ann.last('receive-message'), waiting)
      .toMatchObject({ content: 'hello, server 1', senderUsername: 'Ben' })

    const path = `/api/users/${opened.ben.userId}/activity`
    const askAboutBen = async () =>
      (await annsServer().call('GET', path, { token: opened.ann.token })).body
    expect((await askAboutBen()).isOnline).toBe(true)
    ben.socket.close()
    await expect.poll(() => ann.last('users-online'), waiting).not.toContain(opened.ben.userId)
    expect(await askAboutBen()).toEqual({ isOnline: false, lastSeen: expect.any(String) })
  })

  it('know somebody as online while one device is connected to either', async () => {
    const { ann, ben } = await connectBoth()
    const second = await connect(annsServer(), opened.ben.token)
    await expect.poll(() => second.count('users-online'), waiting).toBeGreaterThan(0)
    ben.socket.close()
    await ben.closed
    const witness = await connect(bensServer(), opened.ann.token)
    await expect.poll(() => witness.last('users-online'), waiting).toContain(opened.ben.userId)
    expect(ann.last('users-online')).toContain(opened.ben.userId)
  })

  it('P8: let nobody see whoever has blocked them with the other, at once', async () => {
    const { ann, ben } = await connectBoth()
    const setBlocked = (blocked: boolean) =>
      annsServer().call('PUT', `/api/users/${opened.ben.userId}/block`, {
        token: opened.ann.token,
        body: { blocked },
      })
    await setBlocked(true)
    await expect.poll(() => ben.last('users-online'), waiting).not.toContain(opened.ann.userId)
    await expect.poll(() => ann.last('users-online'), waiting).not.toContain(opened.ben.userId)
    await setBlocked(false)
    await expect.poll(() => ben.last('users-online'), waiting).toContain(opened.ann.userId)
  })

  it('P2, P3: give concurrent messages one strict order, the same for both people', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `at once ${index}`)
    const answers = await Promise.all(
      texts.flatMap((text) => [
        push(annsServer(), opened.ann, `Ann ${text}`),
        push(bensServer(), opened.ben, `Ben ${text}`),
      ]),
    )
    expect(answers.every(({ status, body }) => status === 201 && body[0].ok)).toBe(true)
    const [anns, bens] = [
      await readMessages(annsServer(), opened.ann),
      await readMessages(bensServer(), opened.ben),
    ]
    const places = anns.map(({ orderedAt }) => orderedAt)
    expect(new Set(places).size).toBe(places.length)
    const inOrder = (messages: MessageDocument[]) =>
      messages.map(({ _id, orderedAt }) => `${orderedAt} ${_id}`)
    expect(inOrder(bens)).toEqual(inOrder(anns))
    expect(anns.filter(({ content }) => content.includes('at once'))).toHaveLength(80)
  })

  it('put an answer behind what it answers, whichever server took which', async () => {
    const talk = [...'abcdefgh']
    const servers = [annsServer(), bensServer()]
    const passes = [
      await openBarrier(annsServer(), 'Cleo'),
      await openBarrier(bensServer(), 'Dora'),
    ]
    for (const [index, content] of talk.entries()) {
      const turn = index % 2
      const answer = await push(must(servers[turn], 'a server'), opened.ann, `talk ${content}`)
      expect(answer.status).toBe(201)
      await passes[turn]?.()
    }
    const said = (await readMessages(bensServer(), opened.ben)).map(({ content }) => content)
    const wanted = talk.map((content) => `talk ${content}`)
    expect(said.filter((content) => content.startsWith('talk'))).toEqual(wanted)
  })

  it('put an answer behind a burst that has run ahead of the clock', async () => {
    const pass = await openBarrier(annsServer(), 'Emil')
    expect((await push(bensServer(), opened.ben, 'before the burst')).status).toBe(201)
    const docs = Array.from({ length: 500 }, (_, index) => {
      const message = { content: `burst ${index}`, _id: uuidv7() }
      const people = { senderId: opened.ann.userId, recipientId: opened.ben.userId }
      return proposeMessage({ ...people, message }).raw
    })
    const { token } = opened.ann
    await annsServer().call('POST', '/sync/messages/_bulk_docs', { token, body: { docs } })
    await pass()
    expect((await push(bensServer(), opened.ben, 'after the burst')).status).toBe(201)
    expect((await readMessages(annsServer(), opened.ann)).at(-1)?.content).toBe('after the burst')
  })

  it('P2: take a message that is sent to both of them once', async () => {
    const id = uuidv7()
    await Promise.all([
      push(annsServer(), opened.ann, 'only once', id),
      push(bensServer(), opened.ann, 'only once', id),
    ])
    for (const person of [opened.ann, opened.ben]) {
      const found = await readMessages(bensServer(), person)
      expect(found.filter(({ _id }) => _id === id)).toHaveLength(1)
    }
  })

  it('P2: take a call that is repeated at the other under its Idempotency-Key once', async () => {
    const { token } = opened.ann
    const headers = { 'idempotency-key': uuidv7() }
    const body = { recipientId: opened.ben.userId, content: 'repeated' }
    const answers = await Promise.all(
      [annsServer(), bensServer(), annsServer()].map((server) =>
        server.call('POST', '/api/messages', { token, body, headers }),
      ),
    )
    expect(new Set(answers.map((answer) => answer.body._id)).size).toBe(1)
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(3)
    const found = await readMessages(bensServer(), opened.ben)
    expect(found.filter(({ content }) => content === 'repeated')).toHaveLength(1)
  })

  it('end a sign-in everywhere, at once', async () => {
    const body = { username: 'Ann', password: opened.ann.password }
    const { token } = (await annsServer().call('POST', '/api/auth/login', { body })).body
    const ended = await connect(bensServer(), token)
    await expect.poll(() => ended.count('users-online'), waiting).toBeGreaterThan(0)
    await annsServer().call('POST', '/api/auth/logout', { token })
    await expect.poll(ended.closedWith, waiting).toBe(4401)
    expect((await bensServer().call('GET', '/api/users/me', { token })).status).toBe(401)
  })
})

describe('two servers that are tried by the same stranger', () => {
  const guess = async (server: TestApp) => {
    const body = { username: 'Ben', password: 'a wild guess' }
    return (await server.call('POST', '/api/auth/login', { body })).status
  }

  it('count failed sign-ins together', async () => {
    const first = []
    for (let tries = 0; tries < 10; tries += 1) {
      first.push(await guess(tries % 2 === 0 ? annsServer() : bensServer()))
    }
    expect(first).toEqual(Array(10).fill(401))
    await expect.poll(() => guess(annsServer()), waiting).toBe(429)
    await expect.poll(() => guess(bensServer()), waiting).toBe(429)
  })
})

describe('two servers whose Redis goes away', () => {
  it('P7: lose no message, and speak again when it is back', async () => {
    const { ann, ben } = await connectBoth()
    const { news } = await pollNews(bensServer(), opened.ben)
    await opened.servers.redis.stop()
    expect((await push(annsServer(), opened.ann, 'without Redis')).status).toBe(201)
    expect(await news).toBe('without Redis')

    await opened.servers.redis.start()
    await expect
      .poll(() => {
        ann.say('typing', { recipientId: opened.ben.userId })
        return ben.last('user-typing')
      }, waiting)
      .toEqual({ userId: opened.ann.userId })
    const again = await pollNews(bensServer(), opened.ben)
    await push(annsServer(), opened.ann, 'with Redis again')
    expect(await again.news).toBe('with Redis again')
  })

  it('end a sign-in that was ended meanwhile when they hear each other again', async () => {
    const body = { username: 'Ann', password: opened.ann.password }
    const { token } = (await annsServer().call('POST', '/api/auth/login', { body })).body
    const ended = await connect(bensServer(), token)
    const other = await connect(bensServer(), opened.ann.token)
    await expect.poll(() => ended.count('users-online'), waiting).toBeGreaterThan(0)
    await opened.servers.redis.stop()
    await annsServer().call('POST', '/api/auth/logout', { token })
    await opened.servers.redis.start()
    await expect.poll(ended.closedWith, waiting).toBe(4401)
    expect(other.socket.readyState).toBe(other.socket.OPEN)
  })
})
