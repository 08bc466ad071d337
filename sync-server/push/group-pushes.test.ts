import { afterAll, afterEach, expect, test } from 'vitest'
import { openTestGroups } from '../groups/testing/open-test-groups.ts'
import { openPushClock } from '../testing/open-push-clock.ts'
import { startPushService } from '../testing/start-push-service.ts'
import type { TestPerson } from '../testing/start-test-app.ts'

const service = await startPushService()
const time = openPushClock()
const t = await openTestGroups({}, { isLoopbackPushAllowed: true, pushClock: time.clock })
const [ann, ben, cyd, dan] = t.people
afterAll(async () => {
  await t.close()
  await service.close()
})
afterEach(() => {
  expect(service.problems.splice(0)).toEqual([])
  service.taken.length = 0
})

for (const person of [ann, ben, cyd]) {
  const { body } = await t.ask(person, 'GET', '/api/users/me/push')
  await t.ask(person, 'PUT', '/api/users/me/push', service.subscribe(body.publicKey))
}

const payloads = () => service.taken.map(({ payload }) => payload)
const to = (person: TestPerson) => payloads().filter(({ userId }) => userId === person.userId)

async function readDropped() {
  const { text } = await t.app.call('GET', '/metrics')
  return Number(/^petrel_pushes_dropped_total (\d+)/m.exec(text)?.[1])
}

test('a message in a group is pushed to each other member, under the group’s name, with who wrote', async () => {
  const group = await t.openGroup(ben, cyd)
  const { body } = await group.say(ann, 'at the station')
  await expect.poll(payloads).toHaveLength(2)
  for (const member of [ben, cyd]) {
    expect(to(member)).toEqual([
      {
        userId: member.userId,
        peerId: group.id,
        name: 'Hikes',
        isGroup: true,
        author: 'Ann',
        messageIds: [body._id],
        count: 1,
        upTo: expect.any(Number),
        isPreviewHidden: false,
        isSilent: false,
        text: 'at the station',
      },
    ])
  }
})

test('a muted group pushes nothing to who muted it, and what was read is not pushed', async () => {
  const group = await t.openGroup(ben, cyd)
  await t.ask(ben, 'PUT', `/api/messages/conversations/${group.id}/mute`, { isMuted: true })
  const before = await readDropped()
  await group.say(ann, 'not for Ben')
  await expect.poll(() => to(cyd)).toHaveLength(1)
  await expect.poll(readDropped).toBe(before + 1)
  expect(to(ben)).toEqual([])
})

test('P14: nothing is pushed to who has left, who was never in, and who was removed before it left', async () => {
  const group = await t.openGroup(ben, cyd)
  const { body } = await t.ask(dan, 'GET', '/api/users/me/push')
  await t.ask(dan, 'PUT', '/api/users/me/push', service.subscribe(body.publicKey))
  service.answerWith({ status: 503 })
  await group.say(ann, 'before Ben goes')
  await expect.poll(() => time.nextInMs()).toBeGreaterThan(0)
  const gone = await t.ask(ann, 'DELETE', `${group.path}/members/${ben.userId}`)
  expect(gone.status).toBe(200)
  await group.say(ann, 'after Ben went')
  service.answerWith(undefined)
  time.advance(time.nextInMs() ?? 0)
  await expect.poll(() => to(cyd)).toHaveLength(1)
  expect([...to(ben), ...to(dan)]).toEqual([])
})

test('a group’s lines and secrets are pushed to nobody, nor is an edit', async () => {
  const group = await t.openGroup(ben)
  const written = group.write(ann, 'first')
  const { body } = await group.push(ann, written)
  await expect.poll(() => to(ben)).toHaveLength(1)
  const edit = { content: 'second', editedAt: Date.now(), _rev: body[0].rev }
  const edited = await group.push(ann, { ...written, ...edit })
  expect(edited.body[0]).toMatchObject({ ok: true })
  expect((await t.ask(ann, 'PUT', group.path, { name: 'Walks' })).status).toBe(200)
  await group.say(ann, 'last')
  await expect.poll(() => to(ben)).toHaveLength(2)
  expect(to(ben)[1]).toMatchObject({ count: 1, text: 'last' })
})

test('a mention is pushed to who muted or archived the group, and nothing else of it', async () => {
  const group = await t.openGroup(ben, cyd)
  await t.ask(ben, 'PUT', `/api/messages/conversations/${group.id}/mute`, { isMuted: true })
  await t.ask(cyd, 'PUT', `/api/messages/conversations/${group.id}/archive`, { isArchived: true })
  const before = await readDropped()
  await group.say(ann, 'for nobody')
  await expect.poll(readDropped).toBe(before + 2)
  const mentions = [ben.userId, cyd.userId]
  const both = group.write(ann, '@Ben and @Cyd, come', { mentionedIds: mentions })
  await group.push(ann, group.write(ann, 'still for nobody'), both)
  await expect.poll(() => [...to(ben), ...to(cyd)]).toHaveLength(2)
  for (const member of [ben, cyd]) {
    expect(to(member)).toMatchObject([
      { messageIds: [both._id], count: 1, text: '@Ben and @Cyd, come' },
    ])
  }
})

test('P13: in a sealed group ids alone say who gets a push', async () => {
  const group = await t.openGroup(ben, cyd)
  await t.ask(ben, 'PUT', `/api/messages/conversations/${group.id}/mute`, { isMuted: true })
  await t.ask(cyd, 'PUT', `/api/messages/conversations/${group.id}/mute`, { isMuted: true })
  const sealed = group.write(ann, '', { sealed: '1.e.box', mentionedIds: [ben.userId] })
  const before = await readDropped()
  await group.push(ann, sealed)
  await expect.poll(() => to(ben)).toHaveLength(1)
  await expect.poll(readDropped).toBe(before + 1)
  expect(to(ben)[0]).toMatchObject({ messageIds: [sealed._id], count: 1 })
  expect(to(ben)[0]).not.toHaveProperty('text')
  expect(to(cyd)).toEqual([])
})

test('a mention that waited among many others is pushed by itself', async () => {
  const group = await t.openGroup(ben)
  await t.ask(ben, 'PUT', `/api/messages/conversations/${group.id}/mute`, { isMuted: true })
  service.answerWith({ status: 503 })
  const first = group.write(ann, '@Ben, now', { mentionedIds: [ben.userId] })
  await group.push(ann, first)
  await expect.poll(() => time.nextInMs()).toBeGreaterThan(0)
  const others = Array.from({ length: 30 }, (_, at) => group.write(ann, `later ${at}`))
  await group.push(ann, ...others)
  service.answerWith(undefined)
  time.advance(time.nextInMs() ?? 0)
  await expect.poll(() => to(ben)).toHaveLength(1)
  expect(to(ben)[0]).toMatchObject({ messageIds: [first._id], count: 1, text: '@Ben, now' })
})
