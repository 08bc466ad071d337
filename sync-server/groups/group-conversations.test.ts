import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountExport } from '../../schema/api/account-export.ts'
import type { ConversationAnswer } from '../../schema/api/conversation-answer.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups()
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)

const listOf = async (person: TestPerson): Promise<ConversationAnswer[]> =>
  (await ask(person, 'GET', '/api/messages/conversations')).body
const oneOf = async (person: TestPerson, groupId: string) =>
  (await listOf(person)).find(({ _id }) => _id === groupId)

test('the list of conversations has isGroup, groupName and groupAvatar, and who is in it', async () => {
  const [ann, ben, cyd] = everybody()
  const group = await opened.groups.openGroup(ben, cyd)
  await group.say(ann, 'hello all')
  const shown = await oneOf(ben, group.id)
  expect(shown).toMatchObject({
    currentUserId: ben.userId,
    isGroup: true,
    groupName: 'Hikes',
    // No value yet: the entity has all of its fields all the same.
    groupAvatar: null,
    user: { _id: group.id, username: 'Hikes' },
    lastMessage: { content: 'hello all', sender: { username: 'Ann' } },
    unreadCount: 1,
    isArchived: false,
    groupMemberCount: 3,
  })
  expect(shown?.groupMembers?.map(({ username }) => username)).toEqual(['Ann', 'Ben', 'Cyd'])
  expect(await oneOf(ann, group.id)).toMatchObject({ unreadCount: 0 })
})

test('a conversation with a person is no group, and has no name of one', async () => {
  const [ann, ben] = everybody()
  await ask(ann, 'POST', '/api/messages', { recipientId: ben.userId, content: 'to you' })
  expect(await oneOf(ben, ann.userId)).toMatchObject({
    isGroup: false,
    groupName: null,
    groupAvatar: null,
  })
})

test('groups stand among the others by their newest message or line, pinned ones first', async () => {
  const [ann, ben, , dan] = everybody()
  const write = (from: TestPerson, to: TestPerson, content: string) =>
    ask(from, 'POST', '/api/messages', { recipientId: to.userId, content })
  const first = await opened.groups.openGroup(dan)
  await write(ben, dan, 'between')
  const second = await opened.groups.openGroup(dan)
  const order = async () => {
    const known = [first.id, second.id, ben.userId]
    return (await listOf(dan)).flatMap(({ _id }) => (known.includes(_id) ? [_id] : []))
  }
  expect(await order()).toEqual([second.id, ben.userId, first.id])
  await first.say(ann, 'newest')
  expect(await order()).toEqual([first.id, second.id, ben.userId])
  const pinned = await ask(dan, 'PUT', `/api/messages/conversations/${second.id}/pin`, {
    isPinned: true,
  })
  expect([pinned.status, pinned.body.isGroup]).toEqual([200, true])
  expect(await order()).toEqual([second.id, first.id, ben.userId])
})

test('unread are the messages of others above one’s mark, not lines and not deleted ones', async () => {
  const [ann, ben, cyd] = everybody()
  const group = await opened.groups.openGroup(ben)
  await group.say(ann, 'one')
  const goes = group.write(ann, 'two')
  await group.push(ann, goes)
  await group.say(ben, 'mine')
  await group.say(ann, 'three')
  await ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
  expect(await oneOf(ben, group.id)).toMatchObject({
    unreadCount: 3,
    lastMessage: { line: { change: { kind: 'add' }, userIds: [cyd.userId] } },
  })
  const { body: stored } = await ask(ann, 'GET', `/sync/groups/${group.id}/${goes._id}`)
  await group.push(ann, { ...stored, deletedAt: Date.now() })
  expect(await oneOf(ben, group.id)).toMatchObject({ unreadCount: 2 })
  const path = `/api/messages/conversations/${group.id}`
  expect((await ask(ben, 'GET', `${path}/stats`)).body).toMatchObject({
    ...{ total: 4, sent: 1, received: 3, unread: 2 },
  })
  const read = await ask(ben, 'PUT', `${path}/read`)
  expect([read.status, read.body.unreadCount]).toEqual([200, 0])
  expect(await oneOf(ben, group.id)).toMatchObject({ unreadCount: 0 })
  // Newcomers begin with what is written after they came.
  expect(await oneOf(cyd, group.id)).toMatchObject({ unreadCount: 0 })
  await group.say(ann, 'four')
  expect(await oneOf(ben, group.id)).toMatchObject({ unreadCount: 1 })
  expect(await oneOf(cyd, group.id)).toMatchObject({ unreadCount: 1 })
})

test('more messages than can be counted in one piece are counted up to a limit', async () => {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  const many = Array.from({ length: 1_000 }, (_, at) => group.write(ann, `message ${at}`))
  expect((await group.push(ann, ...many)).status).toBe(201)
  expect(await oneOf(ben, group.id)).toMatchObject({ unreadCount: 1_000 })
  await group.say(ann, 'one more')
  expect(await oneOf(ben, group.id)).toMatchObject({ unreadCount: 1_000 })
  // Their places run ahead of the clock where they come in one piece, and are read all the same.
  const read = await ask(ben, 'PUT', `/api/messages/conversations/${group.id}/read`)
  expect(read.body).toMatchObject({ unreadCount: 0 })
})

test('who left keeps it, without its name, with what they may read', async () => {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  await group.say(ann, 'before')
  await ask(ann, 'DELETE', `${group.path}/members/${ben.userId}`)
  await ask(ann, 'PUT', group.path, { name: 'Secrets' })
  await group.say(ann, 'after')
  const shown = await oneOf(ben, group.id)
  expect(shown).toMatchObject({
    isGroup: true,
    groupName: null,
    user: { username: 'Group Chat' },
    lastMessage: { line: { change: { kind: 'remove' } } },
    unreadCount: 1,
  })
  expect(JSON.stringify(shown)).not.toMatch(/Secrets|after/)
  expect(shown?.groupMembers).toBeUndefined()
})

test('a cleared one comes back with its next message, and one that is over is gone', async () => {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  await group.say(ann, 'old')
  await ask(ben, 'POST', '/sync/conversations/_bulk_docs', {
    docs: [{ _id: group.id, clearedUpTo: await group.lastPlace() }],
  })
  expect(await oneOf(ben, group.id)).toBeUndefined()
  await group.say(ann, 'new')
  expect(await oneOf(ben, group.id)).toMatchObject({
    unreadCount: 1,
    lastMessage: { content: 'new' },
  })
  await ask(ann, 'DELETE', group.path)
  expect(await oneOf(ben, group.id)).toBeUndefined()
  expect(await oneOf(ann, group.id)).toBeUndefined()
})

test('to others there is no such conversation', async () => {
  const [, ben, , , eve] = everybody()
  const group = await opened.groups.openGroup(ben)
  expect(await oneOf(eve, group.id)).toBeUndefined()
  for (const [method, end, body] of [
    ['PUT', 'read', undefined],
    ['PUT', 'pin', { isPinned: true }],
    ['GET', 'stats', undefined],
  ] as const) {
    const path = `/api/messages/conversations/${group.id}/${end}`
    expect((await ask(eve, method, path, body)).status).toBe(404)
  }
})

test('an export has the groups of its person, and what they may read in each, also of one that they left', async () => {
  const [ann, ben, cyd, dan] = everybody()
  const left = await opened.groups.openGroup(cyd)
  await left.say(ann, 'while Cyd was there')
  await ask(cyd, 'POST', `${left.path}/leave`)
  await left.say(ann, 'after Cyd left')
  const group = await opened.groups.openGroup(ben, cyd)
  await group.say(ben, 'hello from Ben')
  const read = async (person: TestPerson) =>
    accountExport.parse(JSON.parse((await ask(person, 'GET', '/api/users/me/export')).text))
  const ofCyd = await read(cyd)
  expect(ofCyd.groups?.map(({ _id }) => _id)).toContain(group.id)
  expect(ofCyd.groups?.map(({ _id }) => _id)).not.toContain(left.id)
  const words = ofCyd.messages.map(({ content }) => content)
  expect(words).toContain('while Cyd was there')
  expect(words).toContain('hello from Ben')
  expect(words).not.toContain('after Cyd left')
  expect(ofCyd.messages.find(({ content }) => content === 'hello from Ben')).toMatchObject({
    sender: { username: 'Ben' },
    recipient: { _id: group.id, username: 'Hikes' },
  })
  expect(JSON.stringify(await read(dan))).not.toContain(group.id)
})

test('what takes the id of a line is refused, and not answered with the line', async () => {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  const [line] = (await ask(ann, 'GET', `/api/messages/${group.id}`)).body
  const body = { _id: line._id, recipientId: group.id, content: 'hello' }
  const answer = await ask(ben, 'POST', '/api/messages', body)
  expect([answer.status, answer.body.code]).toEqual([409, 'foreign_id'])
})
