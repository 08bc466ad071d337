import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  changesProtocol,
  type ServerEvent,
  socketCloseCodes,
  socketProtocol,
} from '../../schema/api/socket-events.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { limits } from '../../schema/limits.ts'
import { createLog } from '../lib/log.ts'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { createPushTaker } from './push-taker.ts'

type Answered = Extract<ServerEvent, { event: 'push-answered' }>['data']

const opened = { sockets: [] as TestSocket[] } as {
  app: TestApp
  ann: TestPerson
  ben: TestPerson
  sockets: TestSocket[]
}
beforeAll(async () => {
  const app = await startTestApp()
  Object.assign(opened, { app, ann: await app.register('Ann'), ben: await app.register('Ben') })
})
afterEach(() => {
  for (const { socket } of opened.sockets.splice(0)) socket.terminate()
})
afterAll(() => opened.app.close())

/** A device that is greeted, and may push unless it understands or speaks less. */
async function connect(
  { token }: TestPerson,
  { protocol = changesProtocol, understands = ['pushes'] } = {},
) {
  const device = await openTestSocket({ url: opened.app.url, token, protocol, understands })
  opened.sockets.push(device)
  await expect.poll(() => device.last('users-online')).toBeDefined()
  const listAnswers = () =>
    device.heard.flatMap((one) => (one.event === 'push-answered' ? [one.data as Answered] : []))
  const state = { id: 0 }
  return {
    ...device,
    listAnswers,
    /** Pushes, and waits for the answer. */
    async push(docs: unknown, database = 'messages') {
      state.id += 1
      const { id } = state
      device.say('push-documents', { id, database, docs })
      await expect.poll(() => listAnswers().some((one) => one.id === id)).toBe(true)
      return listAnswers().find((one) => one.id === id)
    },
  }
}

const write = (content: string, from = opened.ann, to = opened.ben) =>
  proposeMessage({
    senderId: from.userId,
    recipientId: to.userId,
    message: { content, _id: uuidv7() },
  }).raw

async function readMessages({ token }: TestPerson): Promise<string[]> {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await opened.app.call('GET', path, { token })
  return body.rows.map((row: { doc: { content: string } }) => row.doc.content)
}

const postPush = (docs: unknown, { token } = opened.ann, database = 'messages') =>
  opened.app.call('POST', `/sync/${database}/_bulk_docs`, { token, body: { docs } })

describe('a device that pushes over its line', () => {
  it('is told that it may, where it understands that and speaks the second version', async () => {
    const may = await connect(opened.ann)
    expect(may.last('pushes-taken')).toBe(true)
    const others = [{ understands: [] }, { protocol: socketProtocol }]
    for (const less of others)
      expect((await connect(opened.ann, less)).count('pushes-taken')).toBe(0)
  })

  it('P3 P4: is answered as by `_bulk_docs`, once both copies are stored', async () => {
    const device = await connect(opened.ann)
    const [one, two] = [write('over the line'), write('by a request')]
    const answered = await device.push([one])
    expect(await readMessages(opened.ben)).toContain('over the line')
    const posted = await postPush([two])
    expect(answered).toEqual({
      id: 1,
      status: posted.status,
      body: [{ ...posted.body[0], id: one._id, rev: expect.any(String) }],
      epoch: posted.headers.get('x-petrel-epoch'),
      now: expect.any(Number),
    })
    const mark = { _id: opened.ben.userId, readUpTo: 1 }
    expect(await device.push([mark], 'conversations')).toMatchObject({
      status: 201,
      body: [{ id: mark._id }],
    })
  })

  it.each([
    ['an unknown database', 'nothing', []],
    ["somebody else's database", 'user_messages_ben', []],
    ['a part that is not offered', '_users', []],
    ['a path', '../messages', []],
    ['what is no list', 'messages', 'docs'],
    ['nothing', 'messages', null],
    [
      'too many documents',
      'messages',
      Array.from({ length: limits.syncBatchMaxDocuments + 1 }, () => 0),
    ],
    ['what is no document', 'messages', [null, 7, [], { _id: '_design/x' }, { _id: 'x' }]],
  ])('P8: is answered as by a request when it pushes %s', async (_what, database, docs) => {
    const device = await connect(opened.ann)
    const { status, body } = (await device.push(docs, database)) ?? {}
    const posted = await postPush(docs, opened.ann, encodeURIComponent(database))
    expect({ status, body }).toEqual({ status: posted.status, body: posted.body })
    expect(device.closedWith()).toBeUndefined()
  })

  it('P8: writes its own person’s databases alone, whoever it names', async () => {
    const device = await connect(opened.ann)
    const forged = write('in your name', opened.ben, opened.ann)
    await device.push([forged])
    expect(await readMessages(opened.ben)).not.toContain('in your name')
  })

  it('P2: that is sent again, over the line and by requests at once, is one message', async () => {
    const device = await connect(opened.ann)
    const message = write('only once')
    const ways = [1, 2, 3].flatMap(() => [device.push([message]), postPush([message])])
    for (const { status } of (await Promise.all(ways)).flatMap((one) => one ?? [])) {
      expect(status).toBe(201)
    }
    for (const person of [opened.ann, opened.ben]) {
      expect((await readMessages(person)).filter((one) => one === 'only once')).toHaveLength(1)
    }
  })

  it('is counted, without its words', async () => {
    const device = await connect(opened.ann)
    const count = async () => {
      const { text } = await opened.app.call('GET', '/metrics')
      return Number(/^petrel_line_pushes_total (\d+)/m.exec(text)?.[1])
    }
    const before = await count()
    await device.push([write('counted')])
    expect((await count()) - before).toBe(1)
  })
})

it.each([
  ['the first version', { protocol: socketProtocol }],
  ['the first version, whatever it understands', { protocol: socketProtocol, understands: [] }],
])('a push on a line of %s ends it', async (_what, less) => {
  const device = await connect(opened.ann, less)
  device.say('push-documents', { id: 1, database: 'messages', docs: [write('on an old line')] })
  expect(await device.closed).toBe(socketCloseCodes.badFrame)
  expect(await readMessages(opened.ann)).not.toContain('on an old line')
})

it('an ended sign-in ends the line, and pushes nothing more', async () => {
  const { app } = opened
  const cyd = await app.register('Cyd')
  const device = await connect(cyd)
  await app.call('POST', '/api/auth/logout', { token: cyd.token })
  const docs = [write('after the end', cyd, opened.ben)]
  device.say('push-documents', { id: 1, database: 'messages', docs })
  expect(await device.closed).toBe(socketCloseCodes.signInEnded)
  expect(await readMessages(opened.ben)).not.toContain('after the end')
})

it('each push is a line of the log, as a request is, and has neither words nor names of the caller’s', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const app = await startTestApp({}, { log })
  onTestFinished(() => app.close())
  const [fay, gus] = [await app.register('Fay'), await app.register('Gus')]
  const device = await openTestSocket({ url: app.url, token: fay.token, protocol: changesProtocol })
  onTestFinished(() => device.socket.terminate())
  const [one, two] = [write('a secret', fay, gus), write('another secret', fay, gus)]
  device.say('push-documents', { id: 1, database: 'messages', docs: [one] })
  device.say('push-documents', { id: 2, database: 'my words', docs: [] })
  const readLogged = () => lines.map((line) => JSON.parse(line))
  const findPushes = () => readLogged().filter(({ method }) => method === 'PUSH')
  await expect.poll(() => findPushes().length).toBe(2)
  const { token } = fay
  await app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs: [two] } })
  const route = '/sync/messages/_bulk_docs'
  const findRequest = () => readLogged().find((one) => one.route === route && one.method === 'POST')
  await expect.poll(findRequest).toBeDefined()
  const push = findPushes().find(({ status }) => status === 201)
  expect(Object.keys(push)).toEqual(Object.keys(findRequest()))
  expect(push).toMatchObject({ route, isAnswered: true, userId: fay.userId })
  const refused = findPushes().find(({ status }) => status === 404)
  expect(refused).toMatchObject({ route: 'none', isAnswered: true, userId: fay.userId })
  expect(lines.join('')).not.toMatch(/secret|my words|petrel\.v/)
  expect(lines.join('')).not.toContain(token)
})

it('P3: a server that stops finishes the push that is under way', async () => {
  const [reached, held] = [createDeferred<void>(), createDeferred<void>()]
  const app = await startTestApp(
    {},
    {
      async onStage() {
        reached.resolve()
        await held.promise
      },
    },
  )
  onTestFinished(() => app.close())
  const [dora, emil] = [await app.register('Dora'), await app.register('Emil')]
  const device = await openTestSocket({
    url: app.url,
    token: dora.token,
    protocol: changesProtocol,
  })
  const docs = [write('at the last moment', dora, emil)]
  device.say('push-documents', { id: 1, database: 'messages', docs })
  await reached.promise
  const restarting = app.restart()
  await device.closed
  held.resolve()
  await restarting
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await app.call('GET', path, { token: dora.token })
  expect(body.rows.map(({ doc }: { doc: { content: string } }) => doc.content)).toEqual([
    'at the last moment',
  ])
})

describe('P12: pushes over a line', () => {
  it('that are too many are answered with “later”, end no line, and hold nobody else up', async () => {
    const [device, bens] = [await connect(opened.ann), await connect(opened.ben)]
    for (let id = 1_000; id < 1_200; id += 1) {
      device.say('push-documents', { id, database: 'messages', docs: [] })
    }
    await expect.poll(() => device.listAnswers().length, { timeout: 10_000 }).toBe(200)
    const refused = device.listAnswers().filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, retryAfterSeconds } of refused) {
      expect({ status, retryAfterSeconds }).toEqual({ status: 429, retryAfterSeconds: 1 })
    }
    expect(device.closedWith()).toBeUndefined()
    expect(await bens.push([write('meanwhile', opened.ben, opened.ann)])).toMatchObject({
      status: 201,
    })
  })

  it('are a few at a time for each line, and limited for a person, over all their lines', async () => {
    // What a person may push comes back with time.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const waiting: (() => void)[] = []
    const taker = createPushTaker({
      recordActive: () => {},
      log: createLog('silent', { write: () => undefined }),
      answerPush: () =>
        new Promise((resolve) =>
          waiting.push(() =>
            resolve({ status: 201, body: [], epoch: 'e', retryAfterSeconds: undefined }),
          ),
        ),
    })
    const openLine = () => {
      const statuses: number[] = []
      const connection = {
        caller: { userId: 'ann', sessionId: 'hers' },
        understands: [],
        hasLine: true,
        send: (text: string) => statuses.push(JSON.parse(text).data.status) > 0,
        close: () => {},
      }
      const push = () => taker.take(connection, { id: 1, database: 'messages', docs: [] })
      return { statuses, push }
    }
    const [one, two] = [openLine(), openLine()]
    const first = Array.from({ length: 5 }, one.push)
    await expect.poll(() => one.statuses).toEqual([429])
    const other = two.push()
    for (const answer of waiting.splice(0)) answer()
    await Promise.all([...first, other])
    expect([one.statuses, two.statuses]).toEqual([[429, 201, 201, 201, 201], [201]])
    for (let n = 0; n < 300; n += 1) {
      const { push } = openLine()
      const pushed = push()
      waiting.pop()?.()
      await pushed
    }
    const last = openLine()
    await last.push()
    expect(last.statuses).toEqual([429])
    expect(taker.countTaken()).toBeLessThan(300)
  })
})
