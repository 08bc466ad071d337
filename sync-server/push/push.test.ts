import { afterAll, afterEach, expect, test } from 'vitest'
import type { PushSubscriptionBody } from '../../schema/api/push.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { openPushClock } from '../testing/open-push-clock.ts'
import { openTestChat } from '../testing/open-test-chat.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
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
})

/** A person of each test's own, and their device. */
async function meet() {
  named.count += 1
  const ben = await chat.register(`Ben-${named.count}`)
  const { body } = await chat.as(ben).get('/users/me/push')
  const device = service.subscribe(body.publicKey)
  expect((await subscribe(ben, device)).status).toBe(200)
  return { ben, device }
}

const subscribe = (person: TestPerson, device: PushSubscriptionBody) =>
  chat.as(person).put('/users/me/push', device)

async function readMetric(name: string): Promise<number> {
  const { text } = await chat.app.call('GET', '/metrics')
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
}

const payloads = () => service.taken.map(({ payload }) => payload)
/** Pushes that nobody needs are counted: their absence has a moment. */
const dropped = () => readMetric('petrel_pushes_dropped_total')

test('a new message is pushed, encrypted for the device, to a person who looks at no device', async () => {
  const { ben, device } = await meet()
  const id = await chat.say(ann, ben, 'come down, dinner is ready')
  await expect.poll(payloads).toEqual([
    {
      userId: ben.userId,
      peerId: ann.userId,
      name: 'Ann',
      messageIds: [id],
      count: 1,
      upTo: expect.any(Number),
      owedIds: [],
      isPreviewHidden: false,
      isSilent: false,
      text: 'come down, dinner is ready',
    },
  ])
  const { path, headers, claims } = must(service.taken[0], 'a push')
  expect(device.endpoint.endsWith(path)).toBe(true)
  expect(claims.aud).toBe(service.url)
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' })
  expect(headers.topic).toMatch(/^[\w-]{32}$/)
  const shown = JSON.stringify({ headers, path })
  for (const secret of [ann.userId, ben.userId, 'dinner']) expect(shown).not.toContain(secret)
  // As a word: the letters alone stand in a random signature once in a thousand.
  expect(shown).not.toMatch(/\bAnn\b/)
})

test('a person who looks at a device is not disturbed, and is told when that device vanishes', async () => {
  const { ben } = await meet()
  const { url } = chat.app
  const socket = await openTestSocket({ url, token: ben.token, understands: ['front'] })
  await expect.poll(() => socket.last('front-wanted')).toBe(true)
  socket.say('front', true)
  socket.say('user-online', ben.userId)
  await expect.poll(() => socket.last('users-online')).toBeDefined()
  const seen = await chat.say(ann, ben, 'you see this')
  await chat.as(ben).put(`/messages/${seen}/status`, { status: 'read' })
  const unseen = await chat.say(ann, ben, 'you do not see this')
  await expect.poll(() => socket.count('receive-message')).toBe(2)
  socket.socket.terminate()
  await expect.poll(payloads).toMatchObject([{ text: 'you do not see this' }])
  // What was read is neither named nor counted.
  expect(payloads()[0]).toMatchObject({ messageIds: [unseen], count: 1 })
})

test('a device with every tab hidden is pushed to, though it is connected', async () => {
  const { ben } = await meet()
  const { url } = chat.app
  const socket = await openTestSocket({ url, token: ben.token, understands: ['front'] })
  await expect.poll(() => socket.last('front-wanted')).toBe(true)
  socket.say('front', true)
  socket.say('front', false)
  socket.say('user-online', ben.userId)
  await expect.poll(() => socket.last('users-online')).toBeDefined()
  await chat.say(ann, ben, 'in the background')
  await expect.poll(payloads).toMatchObject([{ text: 'in the background' }])
  socket.socket.terminate()
})

test('a device that does not understand the question is never asked', async () => {
  const { ben } = await meet()
  const socket = await openTestSocket({ url: chat.app.url, token: ben.token })
  await expect.poll(() => socket.last('users-online')).toBeDefined()
  expect(socket.count('front-wanted')).toBe(0)
  socket.socket.terminate()
})

test('P8: a hidden preview carries no text', async () => {
  const { ben } = await meet()
  await chat.as(ben).put('/users/settings', { settings: { notificationPreview: 'hidden' } })
  await chat.say(ann, ben, 'a secret')
  await expect.poll(payloads).toMatchObject([{ isPreviewHidden: true, count: 1 }])
  expect(JSON.stringify(payloads())).not.toContain('secret')
})

test('a push names what was not pushed and has not arrived either', async () => {
  const { ben } = await meet()
  const before = await dropped()
  const mute = (isMuted: boolean) =>
    chat.as(ben).put(`/messages/conversations/${ann.userId}/mute`, { isMuted })
  await mute(true)
  const earlier = await chat.say(ann, ben, 'not pushed')
  await expect.poll(dropped).toBe(before + 1)
  await mute(false)
  const id = await chat.say(ann, ben, 'pushed')
  await expect.poll(payloads).toMatchObject([{ text: 'pushed' }])
  expect(payloads()[0]).toMatchObject({ messageIds: [id], owedIds: [earlier] })
  await chat.as(ben).put(`/messages/${id}/status`, { status: 'delivered' })
  await chat.say(ann, ben, 'the only one')
  await expect.poll(payloads).toHaveLength(2)
  expect(payloads()[1]?.owedIds).toEqual([])
})

test('muted, archived and blocked chats push nothing, and neither do quiet hours', async () => {
  const { ben } = await meet()
  const before = await dropped()
  const as = chat.as(ben)
  await chat.say(ann, ben, 'first')
  await expect.poll(payloads).toHaveLength(1)
  const noon = new Date(time.clock.now()).toISOString().slice(11, 16)
  const quietHours = { isOn: true, from: noon, to: noon, timeZone: 'UTC' }
  await as.put('/users/settings', { settings: { quietHours } })
  await chat.say(ann, ben, 'in the night')
  await expect.poll(dropped).toBe(before + 1)
  await as.put('/users/settings', { settings: { quietHours: { ...quietHours, isOn: false } } })
  await as.put(`/messages/conversations/${ann.userId}/mute`, { isMuted: true })
  await chat.say(ann, ben, 'muted')
  await expect.poll(dropped).toBe(before + 2)
  await as.put(`/messages/conversations/${ann.userId}/mute`, { isMuted: false })
  await as.put(`/messages/conversations/${ann.userId}/archive`, { isArchived: true })
  await chat.say(ann, ben, 'archived')
  await expect.poll(dropped).toBe(before + 3)
  await as.put(`/messages/conversations/${ann.userId}/archive`, { isArchived: false })
  await as.put(`/users/${ann.userId}/block`, { blocked: true })
  await chat.say(ann, ben, 'blocked')
  await expect.poll(dropped).toBe(before + 4)
  expect(payloads()).toHaveLength(1)
})

test('P8: nothing is pushed to a sign-in that has ended, or to the browser of who signed in next', async () => {
  const { ben, device } = await meet()
  const { body } = await chat.app.call('POST', '/api/auth/login', {
    body: { username: ben.username, password: ben.password },
  })
  const second = { ...ben, token: body.token }
  const other = service.subscribe()
  await subscribe(second, other)
  await chat.as(ben).post('/auth/logout')
  await chat.say(ann, ben, 'to the one that is left')
  await expect.poll(payloads).toHaveLength(1)
  expect(other.endpoint.endsWith(service.taken[0]?.path ?? '-')).toBe(true)
  // Carl signs in in the same browser, which gives the same address.
  await subscribe(carl, other)
  await chat.say(ann, ben, 'for nobody')
  await chat.say(ann, carl, 'for Carl')
  await expect.poll(payloads).toHaveLength(2)
  expect(payloads()[1]).toMatchObject({ userId: carl.userId, text: 'for Carl' })
  expect(service.taken.some(({ path }) => device.endpoint.endsWith(path))).toBe(false)
})

test('a subscription that the service calls gone is removed', async () => {
  const { ben, device } = await meet()
  service.unsubscribe(device)
  const before = await readMetric('petrel_pushes_refused_total')
  await chat.say(ann, ben, 'nobody there')
  await expect.poll(() => readMetric('petrel_pushes_refused_total')).toBe(before + 1)
  const asked = service.countAsked()
  await chat.say(ann, ben, 'still nobody')
  await chat.say(ann, carl, 'the queue has passed')
  await expect.poll(payloads).toMatchObject([{ userId: carl.userId }])
  expect(service.countAsked()).toBe(asked + 1)
})

test('turning it off and deleting the account end the pushes', async () => {
  const { ben } = await meet()
  const other = await meet()
  await chat.as(ben).remove('/users/me/push')
  await chat.as(other.ben).leave()
  await chat.say(ann, ben, 'off')
  await chat.say(ann, carl, 'the queue has passed')
  await expect.poll(payloads).toMatchObject([{ userId: carl.userId }])
})

test('after an hour without the push service each chat is pushed once, not each message', async () => {
  const { ben } = await meet()
  const mia = await chat.register('Mia')
  service.answerWith({ status: 503 })
  const before = service.countAsked()
  const said = { ann: [] as string[], mia: [] as string[] }
  for (const minute of Array.from({ length: 12 }, (_, index) => index)) {
    said.ann.push(await chat.say(ann, ben, `from Ann, minute ${5 * minute}`))
    said.mia.push(await chat.say(mia, ben, `from Mia, minute ${5 * minute}`))
    time.advance(5 * 60_000)
    await expect.poll(() => readMetric('petrel_pushes_waiting')).toBe(2)
  }
  // Doubling from seconds to a quarter of an hour, with jitter.
  expect(service.countAsked() - before).toBeLessThan(16)
  service.answerWith(undefined)
  time.advance(15 * 60_000)
  await expect.poll(payloads).toHaveLength(2)
  await expect.poll(() => readMetric('petrel_pushes_waiting')).toBe(0)
  const byPeer = new Map(payloads().map((payload) => [payload.peerId, payload]))
  expect(byPeer.get(ann.userId)).toMatchObject({ count: 12, messageIds: said.ann })
  expect(byPeer.get(mia.userId)).toMatchObject({ count: 12, text: 'from Mia, minute 55' })
})

test('what was read meanwhile is not pushed later', async () => {
  const { ben } = await meet()
  service.answerWith({ status: 429, headers: { 'retry-after': '600' } })
  const id = await chat.say(ann, ben, 'soon read')
  await expect.poll(() => time.nextInMs()).toBe(600_000)
  await chat.as(ben).put(`/messages/${id}/status`, { status: 'read' })
  service.answerWith(undefined)
  const before = await dropped()
  time.advance(600_000)
  await expect.poll(dropped).toBe(before + 1)
  expect(payloads()).toEqual([])
})

test('what was withdrawn while its push waited is not counted, and still owed to the device', async () => {
  const { ben } = await meet()
  service.answerWith({ status: 503 })
  const left = await chat.say(ann, ben, 'this stays')
  await expect.poll(() => time.nextInMs()).toBeGreaterThan(0)
  const withdrawn = await chat.say(ann, ben, 'this does not')
  const newest = await chat.say(ann, ben, 'and this stays')
  expect((await chat.as(ann).remove(`/messages/${withdrawn}`)).status).toBe(200)
  service.answerWith(undefined)
  time.advance(time.nextInMs() ?? 0)
  await expect
    .poll(payloads)
    .toMatchObject([{ messageIds: [left, newest], count: 2, owedIds: [withdrawn] }])
})

test.each([
  'http://push.example/1',
  'https://127.0.0.1/1',
  'https://[::1]/1',
  'https://10.0.0.8/1',
  'https://2130706433/1',
  'https://localhost/1',
  'https://db.internal/1',
  'https://push.example:8443/1',
  'https://name:secret@push.example/1',
  'ftp://push.example/1',
  'not an address',
])('the address %s is refused', async (endpoint) => {
  const { keys } = service.subscribe()
  const answer = await subscribe(carl, { endpoint, keys })
  expect([answer.status, answer.body.code]).toEqual([400, 'push_endpoint_refused'])
})

test('the keys are made once, and stay over restarts', async () => {
  const { ben } = await meet()
  const { body: before } = await chat.as(ben).get('/users/me/push')
  await chat.app.restart()
  const { body: after } = await chat.as(ben).get('/users/me/push')
  expect(after).toEqual(before)
  await chat.say(ann, ben, 'after the restart')
  await expect.poll(payloads).toMatchObject([{ text: 'after the restart' }])
})
