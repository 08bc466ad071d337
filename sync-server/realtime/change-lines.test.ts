import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  changesProtocol,
  type ServerEvent,
  socketCloseCodes,
} from '../../schema/api/socket-events.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { createSignals } from '../storage/documents/signals.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { createChangeLines } from './change-lines.ts'
import { createConnections } from './connections.ts'

type Changes = Extract<ServerEvent, { event: 'changes' }>['data']

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  // A device that does not read answers no ping, however long it takes to fill its line.
  const app = await startTestApp({}, { socketPingEveryMs: 60 * 60 * 1_000 })
  Object.assign(opened, { app, ann: await app.register('Ann'), ben: await app.register('Ben') })
})
afterAll(() => opened.app.close())

async function readChanges(person: TestPerson, since: unknown = 0, database = 'messages') {
  const path = `/sync/${database}/_changes?include_docs=true&since=${since}`
  const { body } = await opened.app.call('GET', path, { token: person.token })
  return body as { last_seq: number; results: { doc: { _id: string; _rev: string } }[] }
}

/** Ben's device, following his messages from their current place, or from `since`. */
async function followAsBen({ since, epoch }: { since?: number; epoch?: string } = {}) {
  const { ben, app } = opened
  const at = since ?? (await readChanges(ben)).last_seq
  const device = await openTestSocket({ url: app.url, token: ben.token, protocol: changesProtocol })
  await expect.poll(() => device.last('users-online')).toBeDefined()
  device.say('follow-changes', { database: 'messages', since: at, epoch })
  const listChanges = () =>
    device.heard.flatMap((one) => (one.event === 'changes' ? [one.data as Changes] : []))
  return { ...device, at, listChanges }
}

async function sendToBen(content: string) {
  const { app, ann, ben } = opened
  const answer = await app.call('POST', '/api/messages', {
    token: ann.token,
    headers: { 'idempotency-key': uuidv7() },
    body: { recipientId: ben.userId, content },
  })
  expect(answer.status).toBeLessThan(300)
}

const contents = (changes: Changes[]) =>
  changes.flatMap(({ docs }) => docs.map(({ content }) => content))

/** Lines of devices in this process, each of a different person, at 7. */
async function openLines(count: number) {
  const signals = createSignals()
  const missed = new Set<() => void>()
  const onMissed = (listener: () => void) => {
    missed.add(listener)
    return () => void missed.delete(listener)
  }
  const database = () => ({ updateSeq: async () => 7 }) as never
  const lines = createChangeLines({
    storage: { signals: { ...signals, onMissed }, database },
    connections: createConnections(),
    epochOf: () => 'e',
  })
  onTestFinished(() => lines.close())
  const heard: string[] = []
  for (let n = 0; n < count; n += 1) {
    const caller = { userId: `person ${n}`, sessionId: `${n}`, expiresAt: Number.MAX_SAFE_INTEGER }
    const send = (text: string) => heard.push(`${n} ${JSON.parse(text).event}`) > 0
    const connection = { caller, send, understands: [], hasLine: true, close: () => {} }
    await lines.follow(connection, { database: 'messages', since: 7 })
  }
  const write = (n: number, docs: { _id: string; _rev: string }[]) =>
    signals.notify(nameMessagesDatabase(`person ${n}`), 8, { from: 7, docs })
  return { heard, write, missAll: () => missed.forEach((listener) => void listener()) }
}

it('asks for short documents that are too many for a frame', async () => {
  const { heard, write } = await openLines(2)
  const docs = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ _id: `${n}`, _rev: '1-a', content: 'x'.repeat(90) }))
  write(0, docs(100))
  write(1, docs(1_000))
  expect(heard).toEqual(['0 changes', '1 changes-missed'])
})

it('P12: when anything may have been missed all are told, one after the other, and are given what comes until then', async () => {
  const { heard, write, missAll } = await openLines(500)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  missAll()
  expect(heard).toEqual([])
  write(1, [])
  expect(heard).toEqual(['1 changes'])
  await vi.advanceTimersByTimeAsync(500)
  expect(heard.length).toBeGreaterThan(100)
  expect(heard.length).toBeLessThan(400)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toHaveLength(501)
})

describe('a device that follows its databases', () => {
  it('is given what is written, as `_changes` would, without asking', async () => {
    const device = await followAsBen()
    await sendToBen('one')
    await sendToBen('two')
    await expect.poll(() => contents(device.listChanges())).toEqual(['one', 'two'])
    const { last_seq, results } = await readChanges(opened.ben, device.at)
    const changes = device.listChanges()
    expect(changes.flatMap(({ docs }) => docs)).toEqual(results.map(({ doc }) => doc))
    expect(changes[0]?.from).toBe(device.at)
    expect(changes[1]?.from).toBe(changes[0]?.to)
    expect(changes[1]?.to).toBe(last_seq)
    expect(device.count('changes-missed')).toBe(0)
    device.socket.close()
  })

  it('P7: is told at once that it has missed something, and nothing more until it follows again', async () => {
    await sendToBen('before')
    const device = await followAsBen({ since: 0 })
    await expect.poll(() => device.count('changes-missed')).toBe(1)
    await sendToBen('while it asks')
    const { last_seq } = await readChanges(opened.ben)
    device.say('follow-changes', { database: 'messages', since: last_seq })
    await expect
      .poll(async () => {
        await sendToBen('when it follows')
        return contents(device.listChanges())
      })
      .toContain('when it follows')
    expect(contents(device.listChanges())).not.toContain('while it asks')
    expect(device.count('changes-missed')).toBe(1)
    device.socket.close()
  })

  it('P7: begins again when it counts in another epoch, wherever it stands', async () => {
    const device = await followAsBen({ epoch: 'before the restore' })
    await expect.poll(() => device.count('changes-missed')).toBe(1)
    device.socket.close()
  })

  it('follows its conversations by the same line', async () => {
    const device = await followAsBen()
    const { last_seq } = await readChanges(opened.ben, 0, 'conversations')
    device.say('follow-changes', { database: 'conversations', since: last_seq })
    const path = `/api/messages/conversations/${opened.ann.userId}/pin`
    let isPinned = false
    await expect
      .poll(async () => {
        isPinned = !isPinned
        await opened.app.call('PUT', path, { token: opened.ben.token, body: { isPinned } })
        return device.listChanges().some(({ database }) => database === 'conversations')
      })
      .toBe(true)
    device.socket.close()
  })

  it('P12: whose line is full goes without, and is told once it reads again', async () => {
    const device = await followAsBen()
    await device.pauseReading()
    const long = 'long '.repeat(5_000)
    await expect
      .poll(
        async () => {
          await Promise.all(Array.from({ length: 20 }, () => sendToBen(long)))
          return (await readChanges(opened.ben)).last_seq - device.at
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(200)
    await device.resumeReading()
    await expect.poll(() => device.count('changes-missed')).toBe(1)
    const { last_seq } = await readChanges(opened.ben)
    expect(device.listChanges().at(-1)?.to).toBeLessThan(last_seq)
    device.socket.close()
  })

  it('P12: is given nothing more once it wants nothing', async () => {
    const device = await followAsBen()
    await sendToBen('wanted')
    await expect.poll(() => contents(device.listChanges())).toEqual(['wanted'])
    device.say('follow-changes', { database: 'messages' })
    await expect.poll(() => opened.app.stats().followed).toBe(0)
    await sendToBen('not wanted')
    const { last_seq } = await readChanges(opened.ben)
    device.say('follow-changes', { database: 'messages', since: last_seq })
    await expect
      .poll(async () => {
        await sendToBen('wanted again')
        return contents(device.listChanges())
      })
      .toContain('wanted again')
    expect(contents(device.listChanges())).not.toContain('not wanted')
    expect(device.count('changes-missed')).toBe(0)
    device.socket.close()
  })

  it('asks for a message that is too long for a frame', async () => {
    const device = await followAsBen()
    await sendToBen('x'.repeat(40_000))
    await expect.poll(() => device.count('changes-missed')).toBe(1)
    expect(device.listChanges()).toEqual([])
    device.socket.close()
  })

  it('P12: is not cut off however often it follows, and is then told later', async () => {
    const device = await followAsBen()
    const others = await Promise.all(Array.from({ length: 3 }, () => followAsBen()))
    for (const each of [device, ...others])
      for (let n = 0; n < 200; n += 1)
        each.say('follow-changes', { database: 'messages', since: 0 })
    for (const each of [device, ...others]) {
      await expect.poll(() => each.count('changes-missed')).toBeGreaterThan(0)
      expect(each.closedWith()).toBeUndefined()
      each.socket.close()
    }
  })

  it('P8: is closed for a database that is not one of a person’s own', async () => {
    const device = await followAsBen()
    device.say('follow-changes', { database: `messages-${opened.ann.userId}`, since: 0 })
    expect(await device.closed).toBe(socketCloseCodes.badFrame)
  })

  it('is closed when it speaks the first version, which knows of no such thing', async () => {
    const { app, ben } = opened
    const device = await openTestSocket({ url: app.url, token: ben.token })
    device.say('follow-changes', { database: 'messages', since: 0 })
    expect(await device.closed).toBe(socketCloseCodes.badFrame)
  })

  it('is told that its line is alive; a device of the first version is not', async () => {
    const app = await startTestApp({}, { hereEveryMs: 20 })
    onTestFinished(() => app.close())
    const { token } = await app.register('Cyd')
    const second = await openTestSocket({ url: app.url, token, protocol: changesProtocol })
    const first = await openTestSocket({ url: app.url, token })
    await expect.poll(() => second.count('here')).toBeGreaterThan(2)
    expect(first.count('here')).toBe(0)
    expect([second.socket.protocol, first.socket.protocol]).toEqual([changesProtocol, 'petrel.v1'])
  })
})
