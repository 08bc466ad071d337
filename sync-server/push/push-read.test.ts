import { afterAll, afterEach, expect, test } from 'vitest'
import type { PushSubscriptionBody } from '../../schema/api/push.ts'
import { openPushClock } from '../testing/open-push-clock.ts'
import { openTestChat } from '../testing/open-test-chat.ts'
import { startPushService } from '../testing/start-push-service.ts'
import type { TestPerson } from '../testing/start-test-app.ts'

const service = await startPushService()
const time = openPushClock()
const chat = await openTestChat({ isLoopbackPushAllowed: true, pushClock: time.clock })
const ann = await chat.register('Ann')
const carl = await chat.register('Carl')
await chat.as(carl).put('/users/me/push', service.subscribe())
const named = { count: 0 }
afterAll(async () => {
  await chat.close()
  await service.close()
})
afterEach(() => {
  service.answerWith(undefined)
  expect(service.problems.splice(0)).toEqual([])
  service.taken.length = 0
  service.reads.length = 0
})

/** A person of each test's own with a phone and a laptop, each a sign-in that is pushed to. */
async function meet({ understands = ['read'] }: { understands?: string[] } = {}) {
  named.count += 1
  const phone = await chat.register(`Ben-${named.count}`)
  const { body } = await chat.app.call('POST', '/api/auth/login', {
    body: { username: phone.username, password: phone.password },
  })
  const laptop: TestPerson = { ...phone, token: body.token }
  const devices = { phone: service.subscribe(), laptop: service.subscribe() }
  await subscribe(phone, { ...devices.phone, understands })
  await subscribe(laptop, { ...devices.laptop, understands })
  return { phone, laptop, devices }
}

async function subscribe(person: TestPerson, device: PushSubscriptionBody) {
  expect((await chat.as(person).put('/users/me/push', device)).status).toBe(200)
}

const isTo = ({ endpoint }: PushSubscriptionBody, { path }: { path: string }) =>
  endpoint.endsWith(path)

async function readWaiting(): Promise<number> {
  const { text } = await chat.app.call('GET', '/metrics')
  return Number(/^petrel_pushes_waiting (\d+)/m.exec(text)?.[1])
}

/** Whatever was queued before is with the service now. */
async function passQueue() {
  const before = service.taken.length
  await chat.say(ann, carl, 'the queue has passed')
  await expect.poll(() => service.taken.length).toBe(before + 1)
}

test('a chat that is read on one device is closed on the other, once', async () => {
  const { phone, laptop, devices } = await meet()
  const id = await chat.say(ann, phone, 'are you there?')
  await expect.poll(() => service.taken.length).toBe(2)
  const [shown] = service.taken.filter((push) => isTo(devices.laptop, push))
  await chat.as(phone).put(`/messages/${id}/status`, { status: 'read' })
  await expect.poll(() => service.reads.length).toBe(1)
  const [read] = service.reads
  expect(read?.payload).toEqual({
    kind: 'read',
    userId: phone.userId,
    peerId: ann.userId,
    readUpTo: shown?.payload.upTo,
  })
  expect(read && isTo(devices.laptop, read)).toBe(true)
  // It replaces the message's own push while that was not fetched.
  expect(read?.headers.topic).toBe(shown?.headers.topic)
  await chat.as(laptop).put(`/messages/conversations/${ann.userId}/read`)
  await chat.as(phone).put(`/messages/${id}/status`, { status: 'read' })
  await passQueue()
  expect(service.reads).toHaveLength(1)
})

test('a chat that a device reads by replication is closed on the other', async () => {
  const { phone, laptop, devices } = await meet()
  await chat.say(ann, phone, 'read me')
  await expect.poll(() => service.taken.length).toBe(2)
  const { body: stored } = await chat.app.call('GET', `/sync/conversations/${ann.userId}`, {
    token: laptop.token,
  })
  const readUpTo = service.taken[0]?.payload.upTo
  const answer = await chat.app.call('POST', '/sync/conversations/_bulk_docs', {
    token: laptop.token,
    body: { docs: [{ ...stored, readUpTo }] },
  })
  expect(answer.status).toBe(201)
  await expect.poll(() => service.reads.length).toBe(1)
  expect(service.reads.every((push) => isTo(devices.phone, push))).toBe(true)
})

test('a device of an older app, which would show it as a message, is not told', async () => {
  const { phone } = await meet({ understands: [] })
  await chat.say(ann, phone, 'first')
  await expect.poll(() => service.taken.length).toBe(2)
  await chat.as(phone).put(`/messages/conversations/${ann.userId}/read`)
  await passQueue()
  expect(service.reads).toEqual([])
})

test('a message that was written meanwhile says it instead', async () => {
  const { phone, devices } = await meet()
  await chat.say(ann, phone, 'first')
  await expect.poll(() => service.taken.length).toBe(2)
  const readUpTo = service.taken[0]?.payload.upTo
  service.answerWith({ status: 503 })
  const asked = service.countAsked()
  await chat.as(phone).put(`/messages/conversations/${ann.userId}/read`)
  await expect.poll(() => service.countAsked()).toBe(asked + 1)
  await expect.poll(() => time.nextInMs()).toBeGreaterThan(0)
  await chat.say(ann, phone, 'second')
  // The phone's, and the laptop's, which has joined the one that waits.
  await expect.poll(readWaiting).toBe(2)
  service.answerWith(undefined)
  time.advance(time.nextInMs() ?? 0)
  await expect.poll(() => service.taken.length).toBe(4)
  await passQueue()
  expect(service.reads).toEqual([])
  const later = service.taken.filter(({ payload }) => payload.text === 'second')
  expect(later.map(({ payload }) => payload.readUpTo)).toEqual([readUpTo, readUpTo])
  expect(later.some((push) => isTo(devices.laptop, push))).toBe(true)
})

test('P8: a sign-in that has ended is not told', async () => {
  const { phone, laptop } = await meet()
  await chat.say(ann, phone, 'first')
  await expect.poll(() => service.taken.length).toBe(2)
  await chat.as(laptop).post('/auth/logout')
  await chat.as(phone).put(`/messages/conversations/${ann.userId}/read`)
  await passQueue()
  expect(service.reads).toEqual([])
})
