import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import type { TestApp, TestPerson } from '../testing/start-test-app.ts'
import { createTestClock } from '../testing/start-test-channel.ts'
import { startTestServers, type TestServers } from '../testing/start-test-servers.ts'
import { type Emulator, startEmulator } from '../tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../tools/whatsapp-emulator/settings-for-emulator.ts'

/** A load balancer that sends each webhook to the chosen servers. */
const balancer = { targets: [] as TestApp[] }
const opened = {} as {
  servers: TestServers
  emulator: Emulator
  clock: ReturnType<typeof createTestClock>
  entrance: Server
  ann: TestPerson
}

beforeAll(async () => {
  const emulator = await startEmulator({ port: 0, clock: 'manual', startAt: Date.now() })
  const clock = createTestClock(emulator)
  const servers = await startTestServers(settingsForEmulator(emulator), {
    channelClock: clock,
    webhookRetryWaitsMs: [0, 0, 0],
  })
  balancer.targets = [servers.one, servers.two]
  const entrance = createServer(async (request, response) => {
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of request) parts.push(Uint8Array.from(part))
    const { method = 'GET', url = '' } = request
    const headers = new Headers()
    for (const name of ['content-type', 'x-hub-signature-256']) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const body = method === 'GET' ? null : new Blob(parts)
    const answers = await Promise.all(
      balancer.targets.map((server) => fetch(`${server.url}${url}`, { method, headers, body })),
    )
    const worst = answers.toSorted((a, b) => b.status - a.status)[0]
    response.writeHead(worst?.status ?? 502).end(await worst?.text())
  })
  await new Promise<void>((resolve) => entrance.listen(0, '127.0.0.1', resolve))
  const { port } = entrance.address() as AddressInfo
  const webhookUrl = `http://127.0.0.1:${port}/api/webhooks/whatsapp`
  if (!(await emulator.configure({ webhookUrl }))) throw new Error('no handshake')
  const ann = await servers.one.register('Ann')
  Object.assign(opened, { servers, emulator, clock, entrance, ann })
  const linked = await post(servers.one, '/users/link-whatsapp', {
    wa_id: '15550783881',
    phone_number: '15550783881',
    phone_number_id: emulator.account.numberId,
  })
  if (linked.status !== 200) throw new Error(linked.text)
})
afterAll(async () => {
  await opened.servers.close()
  opened.entrance.closeAllConnections()
  opened.entrance.close()
  await opened.emulator.close()
})

const post = (server: TestApp, path: string, body: unknown) =>
  server.call('POST', `/api${path}`, { token: opened.ann.token, body })

async function readMessages(server: TestApp): Promise<MessageDocument[]> {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await server.call('GET', path, { token: opened.ann.token })
  return body.rows.map(({ doc }: { doc: MessageDocument }) => doc)
}

async function findMessages(server: TestApp, content: string): Promise<MessageDocument[]> {
  return (await readMessages(server)).filter((one) => one.content === content)
}

describe('two servers on one CouchDB, with a business channel', () => {
  test('P2: an album whose webhooks reach both of them is there once, in one conversation', async () => {
    const { servers, emulator, clock } = opened
    const words = Array.from({ length: 10 }, (_, index) => `photo ${index}`)
    for (const content of words) emulator.inbound({ from: '15555550160', name: 'Sheena', content })
    await clock.advance(0)
    // One after the other, twice each, on a CouchDB: all of them may take longer than one wait.
    for (const before of words.keys()) {
      await expect
        .poll(async () => (await readMessages(servers.two)).length)
        .toBeGreaterThan(before)
    }
    const shown = (await readMessages(servers.two)).map(({ content }) => content)
    expect(shown.toSorted()).toEqual(words)
    const senders = (await readMessages(servers.one)).map(({ senderId }) => senderId)
    expect(new Set(senders).size).toBe(1)
  })

  test('P1, P5: statuses that reach both of them bring a message to read, and lose nothing of it', async () => {
    const { servers, emulator, clock } = opened
    const ids = Array.from({ length: 10 }, () => uuidv7())
    emulator.inbound({ from: '15555550100', content: 'Hello' })
    await clock.advance(0)
    await expect.poll(() => findMessages(servers.two, 'Hello')).toHaveLength(1)
    const answers = await Promise.all(
      ids.map((clientMessageId, index) =>
        post(index % 2 === 0 ? servers.one : servers.two, '/webhooks/send', {
          to: '15555550100',
          message: `Answer ${index}`,
          clientMessageId,
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 201))
    const readOwn = async () =>
      (await readMessages(servers.one)).filter(({ _id }) => ids.includes(_id))
    // What a slow machine sends after its answer has its statuses only later.
    const countRead = async () => {
      await clock.advance(1_000)
      return (await readOwn()).filter(({ status }) => status === 'read').length
    }
    for (const before of ids.keys()) await expect.poll(countRead).toBeGreaterThan(before)
    await expect
      .poll(async () =>
        (await readOwn()).map(({ statusHistory }) =>
          [...new Set(statusHistory.map(({ status }) => status))].toSorted().join(' '),
        ),
      )
      .toEqual(ids.map(() => 'delivered read sent'))
    for (const one of await readOwn()) {
      expect(one).toMatchObject({ to_phone: '15555550100', waState: 'accepted' })
      expect(one.whatsapp_message_id).toMatch(/^wamid\./)
    }
    const left = emulator.outbox().filter(({ to }) => to === '+15555550100')
    expect(left).toHaveLength(ids.length)
  })

  test('P2: a call that both of them get at once leaves once', async () => {
    const { servers, emulator, clock } = opened
    const body = { to: '15555550100', message: 'Only once', clientMessageId: uuidv7() }
    const answers = await Promise.all(
      [servers.one, servers.two, servers.one].map((server) => post(server, '/webhooks/send', body)),
    )
    expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true)
    await clock.advance(1_000)
    const left = emulator.outbox().filter((one) => JSON.stringify(one).includes('Only once'))
    expect(left).toHaveLength(1)
  })

  test('what a customer wrote to the one opens the window at the other, at once', async () => {
    const { servers, emulator, clock } = opened
    const to = '15555550161'
    const template = { to, type: 'template', message: { name: 'hello_world' } }
    expect((await post(servers.two, '/webhooks/send', template)).status).toBe(201)
    expect((await post(servers.two, '/webhooks/send', { to, message: 'Early' })).status).toBe(422)
    balancer.targets = [servers.one]
    emulator.inbound({ from: to, content: 'At last' })
    await clock.advance(0)
    await expect.poll(() => findMessages(servers.one, 'At last')).toHaveLength(1)
    const answer = await post(servers.two, '/webhooks/send', { to, message: 'In time' })
    expect([answer.status, answer.body.error]).toEqual([201, undefined])
    balancer.targets = [servers.one, servers.two]
  })
})
