import { v7 as uuidv7 } from 'uuid'
import { expect, it, onTestFinished } from 'vitest'
import { limits } from '../../schema/limits.ts'
import type { AppOverrides } from '../app-overrides.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const anHour = 60 * 60 * 1_000

async function open(overrides: AppOverrides = {}) {
  const app = await startTestApp({}, overrides)
  onTestFinished(() => app.close())
  async function connect({ token }: TestPerson, understands: string[] = []) {
    const socket = await openTestSocket({ url: app.url, token, understands })
    onTestFinished(() => socket.socket.terminate())
    await expect.poll(() => socket.count('users-online')).toBeGreaterThan(0)
    return socket
  }
  return { app, ann: await app.register('Ann'), ben: await app.register('Ben'), connect }
}

it('sockets that answer no ping are cut off, and the others stay', async () => {
  const { app, ann, ben, connect } = await open({ socketPingEveryMs: 2_000 })
  const answering = await connect(ann)
  const silent = await connect(ben)
  const pings = { count: 0 }
  answering.socket.on('ping', () => {
    pings.count += 1
  })
  await silent.pauseReading()
  await expect.poll(() => app.stats().sockets).toBe(1)
  const before = pings.count
  await expect.poll(() => pings.count).toBeGreaterThan(before)
  expect(answering.socket.readyState).toBe(answering.socket.OPEN)
  expect(app.stats().sockets).toBe(1)
})

it('a socket whose answer waits while the server stands still stays', async () => {
  const everyMs = 200
  const { ann, connect } = await open({ socketPingEveryMs: everyMs })
  const answering = await connect(ann)
  const pings = { count: 0 }
  // By now it has answered: the server is in this process, and reads that after its next timer.
  answering.socket.on('ping', () => {
    pings.count += 1
    const begun = performance.now()
    while (pings.count === 1 && performance.now() - begun < 2 * everyMs);
  })
  await expect.poll(() => pings.count).toBeGreaterThan(2)
  expect(answering.closedWith()).toBeUndefined()
})

/** More than the kernel buffers for a socket that nobody reads. */
const flood = { messages: 600, batch: 100 }

async function pushFlood(app: TestApp, author: TestPerson, recipientId: string) {
  const content = 'x'.repeat(limits.messageMaxCharacters)
  for (let sent = 0; sent < flood.messages; sent += flood.batch) {
    const docs = Array.from({ length: flood.batch }, () => ({
      _id: uuidv7(),
      peerId: recipientId,
      senderId: author.userId,
      recipientId,
      content,
      createdAt: Date.now(),
      orderedAt: Date.now(),
    }))
    const path = '/sync/messages/_bulk_docs'
    const { status } = await app.call('POST', path, { token: author.token, body: { docs } })
    expect(status).toBe(201)
  }
}

it('P7: a socket that reads too slowly goes without hints and typing, and stays', async () => {
  // It answers no ping while it does not read, however long the flood takes.
  const { app, ann, ben, connect } = await open({ socketPingEveryMs: anHour })
  const slow = await connect(ann, ['presence-changes'])
  const bens = await connect(ben)
  await slow.pauseReading()
  await pushFlood(app, ben, ann.userId)
  const cyd = await app.register('Cyd')
  await connect(cyd)
  await expect.poll(() => bens.last('users-online')).toContain(cyd.userId)
  bens.say('typing', { recipientId: ann.userId })
  // The server handles one socket's frames in turn: this one's arrival means the one before was
  // told too.
  bens.say('typing', { recipientId: ben.userId })
  await expect.poll(() => bens.count('user-typing')).toBe(1)

  await slow.resumeReading()
  // What was still in transit comes first; then there is room again.
  const type = () => {
    bens.say('stop-typing', { recipientId: ann.userId })
    return slow.count('user-stop-typing')
  }
  await expect.poll(type, { interval: 200 }).toBeGreaterThan(0)
  expect(slow.count('user-typing')).toBe(0)
  // A list makes up for the missed news of who came.
  await expect.poll(() => slow.last('users-online')).toContain(cyd.userId)
  expect(slow.count('receive-message')).toBeGreaterThan(0)
  expect(slow.count('receive-message')).toBeLessThan(flood.messages)
  expect(slow.socket.readyState).toBe(slow.socket.OPEN)
})

it('who is online is told at once, and then not before its time', async () => {
  const { app, ann, ben, connect } = await open({ announceEveryMs: anHour })
  const anns = await connect(ann)
  expect(anns.last('users-online')).toEqual([ann.userId])
  await connect(ben)
  for (let come = 0; come < 5; come += 1) {
    const { userId, token } = await app.register(`Cyd${come}`)
    await connect({ userId, token } as TestPerson)
    // The news of who came earlier would have arrived by now.
    anns.say('typing', { recipientId: ann.userId })
    await expect.poll(() => anns.count('user-typing')).toBe(come + 1)
  }
  expect(anns.count('users-online')).toBe(1)
  // It answers a request, but no sooner than a second after the last time.
  await expect
    .poll(() => {
      anns.say('user-online', ann.userId)
      return anns.last('users-online')
    })
    .toContain(ben.userId)
})
