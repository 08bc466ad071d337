import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PouchDB from 'pouchdb'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type GroupChangesAnswer,
  type GroupMessageDocument,
  groupChangesAnswer,
} from '../../schema/api/groups.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { Document } from '../storage/documents/documents.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { codeOf, openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups; app: TestApp }
beforeAll(async () => {
  opened.groups = await openTestGroups()
  opened.app = opened.groups.app
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)
const openGroup: TestGroups['openGroup'] = (...others) => opened.groups.openGroup(...others)

type Since = Record<string, string | number>

async function pull(person: TestPerson, since: Since = {}, limit = 50) {
  const answer = await ask(person, 'POST', '/sync/groups/_changes', { since, limit })
  expect(answer.status).toBe(200)
  expect(groupChangesAnswer.safeParse(answer.body).success).toBe(true)
  return (answer.body as GroupChangesAnswer).groups
}

/** What a device has of one group, page by page until the end. */
async function follow(person: TestPerson, groupId: string, since: Since = {}) {
  const places = { ...since }
  const words: string[] = []
  let isMember: boolean | undefined
  for (;;) {
    const groups = await pull(person, places, 2)
    if (groups.length === 0) return { words, isMember, places }
    for (const group of groups) {
      places[group._id] = group.last_seq
      if (group._id !== groupId) continue
      isMember = group.isMember
      words.push(
        ...group.results.map(({ doc }) => (doc.line ? `[${doc.line.change.kind}]` : doc.content)),
      )
    }
  }
}

describe('P14: a group’s order decides', () => {
  test('each change has its line in its place, and no line is without its change', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await openGroup(ben, cyd)
    await group.say(ben, 'hello')
    const put = (body: object) => ask(ann, 'PUT', group.path, body)
    expect((await put({ name: 'Walks' })).body.group.name).toBe('Walks')
    expect((await put({ name: 'Walks' })).status).toBe(200)
    expect((await put({ description: 'On Sundays' })).status).toBe(200)
    const adding = { memberIds: [dan.userId] }
    expect((await ask(ann, 'POST', `${group.path}/members`, adding)).status).toBe(200)
    const promoted = await ask(ann, 'PUT', `${group.path}/members/${ben.userId}`, { role: 'admin' })
    expect(promoted.status).toBe(200)
    expect((await ask(ben, 'DELETE', `${group.path}/members/${cyd.userId}`)).status).toBe(200)
    expect((await ask(ann, 'POST', `${group.path}/leave`)).body).toEqual({ group: null })

    const { words } = await follow(ben, group.id)
    expect(words).toEqual([
      ...['[create]', 'hello', '[rename]', '[describe]', '[add]', '[role]', '[remove]'],
      '[leave]',
    ])
    const { members } = await group.read(ben)
    expect(members.map((one: { userId: string; role: string }) => [one.userId, one.role])).toEqual([
      [ben.userId, 'owner'],
      [dan.userId, 'member'],
    ])
    expect((await ask(ann, 'GET', group.path)).status).toBe(404)
  })

  test('who was removed is brought back by no late message and no late word', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await openGroup(ben, cyd)
    await ask(ann, 'PUT', `${group.path}/members/${ben.userId}`, { role: 'admin' })
    const seenUpTo = await group.lastPlace()
    const late = group.write(cyd, 'late words')
    await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
    const before = await group.read()

    // A message that was written before, and arrives after.
    const [row] = (await group.push(cyd, late)).body
    expect(row).toMatchObject({ id: late._id, error: 'forbidden', code: 'group_left' })
    expect(row.reason).toMatch(/^Not sent: you are not in this group any more/)
    // Another admin's word from before.
    const adding = { memberIds: [cyd.userId, dan.userId], seenUpTo }
    const added = await ask(ben, 'POST', `${group.path}/members`, adding)
    expect(codeOf(added)).toEqual([409, 'changed_meanwhile'])

    expect(await group.read()).toEqual(before)
    expect(await group.wordsOf(ann)).toEqual(['[line]', '[line]', '[line]'])
    expect(codeOf(await group.say(cyd, 'again'))).toEqual([403, 'group_left'])
  })

  test('of two admins that remove each other the first to arrive wins, the second is told', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openGroup(ben, cyd)
    for (const { userId } of [ben, cyd]) {
      await ask(ann, 'PUT', `${group.path}/members/${userId}`, { role: 'admin' })
    }
    const seenUpTo = await group.lastPlace()
    const remove = (actor: TestPerson, { userId }: TestPerson) =>
      ask(actor, 'DELETE', `${group.path}/members/${userId}?seenUpTo=${seenUpTo}`)
    const both = await Promise.all([remove(ben, cyd), remove(cyd, ben)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const roles = await group.rolesOf()
    expect(Object.keys(roles)).toHaveLength(2)
    expect(roles.Ann).toBe('owner')
  })

  test('everybody at once: no change is lost, none has two lines, and each has a place of its own', async () => {
    const [ann, ben, cyd, dan, eve] = everybody()
    const group = await openGroup(ben, cyd)
    const keys = [dan, eve].map(() => uuidv7())
    const add = ({ userId }: TestPerson, key?: string) =>
      ask(ann, 'POST', `${group.path}/members`, { memberIds: [userId] }, key)
    const answers = await Promise.all([
      ...[dan, eve, dan, eve].map((person, at) => add(person, keys[at % 2])),
      ...[1, 2, 3].map((at) => group.say(ben, `ben ${at}`)),
      ...[1, 2, 3].map((at) => group.say(cyd, `cyd ${at}`)),
      ask(cyd, 'POST', `${group.path}/leave`),
    ])
    for (const { status } of answers) expect([200, 201, 403]).toContain(status)
    const all = (await pull(ann)).find(({ _id }) => _id === group.id)?.results ?? []
    const kinds = all.flatMap(({ doc }) => doc.line?.change.kind ?? [])
    expect(kinds.toSorted()).toEqual(['add', 'add', 'create', 'leave'])
    const places = all.map(({ doc }) => doc.orderedAt)
    expect(new Set(places).size).toBe(places.length)
    expect(Object.keys(await group.rolesOf()).toSorted()).toEqual(['Ann', 'Ben', 'Dan', 'Eve'])
    const said = answers.slice(4, 10).filter(({ status }) => status === 201)
    expect(all.filter(({ doc }) => !doc.line)).toHaveLength(said.length)
  })

  test('P2: a request that arrives twice is one change, and a group that is over stays over', async () => {
    const [ann, ben] = everybody()
    const _id = uuidv7()
    const making = { _id, name: 'Once', memberIds: [ben.userId] }
    expect((await ask(ann, 'POST', '/api/groups', making)).status).toBe(201)
    expect((await ask(ann, 'POST', '/api/groups', making)).status).toBe(200)
    expect(codeOf(await ask(ben, 'POST', '/api/groups', making))).toEqual([409, 'group_exists'])
    const key = uuidv7()
    const path = `/api/groups/${_id}/members/${ben.userId}`
    await ask(ann, 'DELETE', path, undefined, key)
    await ask(ann, 'POST', `/api/groups/${_id}/members`, { memberIds: [ben.userId] })
    expect((await ask(ann, 'DELETE', path, undefined, key)).body.group.members).toHaveLength(2)
    expect(codeOf(await ask(ben, 'DELETE', `/api/groups/${_id}`))).toEqual([403, 'owner_only'])
    expect((await ask(ann, 'DELETE', `/api/groups/${_id}`)).body).toEqual({ isDeleted: true })
    expect(codeOf(await ask(ann, 'POST', '/api/groups', making))).toEqual([404, 'group_not_found'])
    for (const { _id: other } of (await ask(ben, 'GET', '/api/groups')).body.groups) {
      expect(other).not.toBe(_id)
    }
  })

  test('a group and its lines outlive a kill', async () => {
    const [ann, ben] = everybody()
    const group = await openGroup(ben)
    await group.say(ben, 'before')
    await opened.app.killAndStart()
    expect((await follow(ann, group.id)).words).toEqual(['[create]', 'before'])
    expect((await group.say(ben, 'after')).status).toBe(201)
    const kept = await opened.app.whileStopped((storage) =>
      storage.database<Document>(nameGroupDatabase(group.id)).range({}),
    )
    // One copy for all of them, beside the group's record.
    expect(kept).toHaveLength(4)
    const record = kept.find(({ _id }) => _id === group.id) as unknown as GroupDocument
    expect(record.members).toHaveLength(2)
  })
})

describe('P14: windows', () => {
  test('newcomers read from their line on, who left reads until theirs, by every door', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await openGroup(ben, cyd)
    const early = (await group.say(ann, 'early')).body._id
    const known = await follow(cyd, group.id)
    await group.say(ann, 'while Cyd is offline')
    await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [dan.userId] })
    const late = (await group.say(ben, 'late')).body._id

    expect(await follow(cyd, group.id, known.places)).toMatchObject({
      words: ['while Cyd is offline', '[remove]'],
      isMember: false,
    })
    expect((await follow(dan, group.id)).words).toEqual(['[add]', 'late'])
    expect(await group.wordsOf(cyd)).toEqual(['[line]', 'early', 'while Cyd is offline', '[line]'])
    expect(await group.wordsOf(dan)).toEqual(['[line]', 'late'])
    expect(await group.wordsOf(dan, '?limit=1')).toEqual(['late'])
    expect(await group.wordsOf(ann, `?limit=1&before=${late}`)).toEqual(['[line]'])
    expect((await ask(dan, 'GET', `/api/messages/${group.id}?before=${early}`)).status).toBe(404)

    const base = `/sync/groups/${group.id}`
    for (const [person, hidden] of [
      [cyd, late],
      [dan, early],
    ] as const) {
      expect((await ask(person, 'GET', `${base}/${hidden}`)).status).toBe(404)
      const got = await ask(person, 'POST', `${base}/_bulk_get`, { docs: [{ id: hidden }] })
      expect(got.body.results[0].docs[0]).toHaveProperty('error')
      for (const path of ['_changes?include_docs=true', '_all_docs?include_docs=true']) {
        expect((await ask(person, 'GET', `${base}/${path}`)).text).not.toContain(hidden)
      }
      const [row] = (await group.push(person, group.write(person, 'mine', { _id: hidden }))).body
      expect(['foreign_id', 'group_left']).toContain(row.code)
    }
    expect((await ask(cyd, 'GET', group.path)).status).toBe(404)
  })

  test('an edit after somebody left does not reach them, a deletion does, and they keep what they had', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openGroup(ben, cyd)
    const first = group.write(ann, 'first words')
    await group.push(ann, first)
    await ask(cyd, 'POST', `${group.path}/leave`)
    const { body: stored } = await ask(ann, 'GET', `/sync/groups/${group.id}/${first._id}`)
    const editedAt = Date.now()
    const edited = await group.push(ann, { ...stored, content: 'other words', editedAt })
    expect(edited.body[0]).toMatchObject({ ok: true })
    expect(await group.wordsOf(ben)).toContain('other words')
    expect(await group.wordsOf(cyd)).toEqual(['[line]', 'first words', '[line]'])
    expect((await follow(cyd, group.id)).words).toContain('first words')
    await group.push(ann, { ...stored, deletedAt: Date.now() })
    expect(await group.wordsOf(cyd)).toEqual(['[line]', '', '[line]'])
  })

  test('who left and offers what they may read has it taken, whatever became of it since', async () => {
    const [ann, , cyd] = everybody()
    const group = await openGroup(cyd)
    const first = group.write(ann, 'first words')
    await group.push(ann, first)
    const path = `/sync/groups/${group.id}/${first._id}`
    const { _rev, ...held } = (await ask(cyd, 'GET', path)).body
    await ask(cyd, 'POST', `${group.path}/leave`)
    await group.push(ann, { ...held, content: 'other words', editedAt: Date.now() })
    const refused = { at: Date.now(), code: 'group_left', error: 'You left.' }
    expect((await group.push(cyd, { ...held, refused })).body[0]).toMatchObject({ ok: true })
    const reactions = { [cyd.userId]: { emoji: '👍', at: Date.now() } }
    const late = await group.push(cyd, { ...held, reactions })
    expect(late.body[0]).toMatchObject({ code: 'group_left' })
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
    expect((await group.push(cyd, held)).body[0]).toMatchObject({ ok: true })
    expect((await group.push(cyd, { ...held, reactions })).body[0]).toMatchObject({ ok: true })
    const { body: now } = await ask(cyd, 'GET', path)
    expect(now).toMatchObject({ content: 'other words', reactions })
  })

  test('who comes back reads on from there, and all of it where the group shows its history', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openGroup(ben, cyd)
    await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
    await group.say(ann, 'between')
    const { places } = await follow(cyd, group.id)
    const add = () => ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
    await add()
    const again = await follow(cyd, group.id, places)
    expect(again.words).not.toContain('between')
    expect(again.words.at(-1)).toBe('[add]')
    await ask(cyd, 'POST', `${group.path}/leave`)
    await ask(ann, 'PUT', group.path, { settings: { showsHistory: true } })
    await add()
    expect((await follow(cyd, group.id, again.places)).words).toContain('between')
  })

  test('one call says where each group is, for members and for who left, as its changes count', async () => {
    const [ann, ben, , , eve] = everybody()
    const group = await openGroup(ben)
    const placeFor = async (person: TestPerson) => {
      const places: { groupId: string }[] = (await ask(person, 'GET', '/api/groups/places')).body
      return places.find(({ groupId }) => groupId === group.id)
    }
    const changes = `/sync/groups/${group.id}/_changes?bare=true&include_docs=true&style=all_docs`
    const seqFor = async (person: TestPerson) => (await ask(person, 'GET', changes)).body.last_seq
    expect(await placeFor(ben)).toEqual({ groupId: group.id, seq: await seqFor(ben), times: 1 })
    await ask(ben, 'POST', `${group.path}/leave`)
    await group.say(ann, 'alone')
    expect(await placeFor(ben)).toMatchObject({ seq: await seqFor(ben) })
    const { results } = (await ask(ben, 'GET', changes)).body
    expect(results.map(({ doc }: { doc: GroupMessageDocument }) => doc.line?.change.kind)).toEqual([
      'create',
      'leave',
    ])
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [ben.userId] })
    expect(await placeFor(ben)).toMatchObject({ times: 2 })
    expect(await placeFor(eve)).toBeUndefined()
  })

  test('to others it does not exist, by any door', async () => {
    const [ann, ben, , , eve] = everybody()
    const group = await openGroup(ben)
    expect(codeOf(await ask(eve, 'GET', group.path))).toEqual([404, 'group_not_found'])
    expect((await ask(eve, 'PUT', group.path, { name: 'x' })).status).toBe(404)
    expect((await ask(eve, 'DELETE', group.path)).status).toBe(404)
    expect((await ask(eve, 'POST', `${group.path}/leave`)).status).toBe(404)
    expect((await group.say(eve, 'hello')).status).toBe(404)
    expect((await group.push(eve, group.write(eve, 'hello'))).status).toBe(404)
    expect((await ask(eve, 'GET', `/sync/groups/${group.id}/_changes`)).status).toBe(404)
    expect((await ask(eve, 'GET', `/api/messages/${group.id}`)).text).not.toContain('Hikes')
    expect(await pull(eve)).not.toContainEqual(expect.objectContaining({ _id: group.id }))
    expect(await group.wordsOf(ann)).toEqual(['[line]'])
  })
})

test('a message is one for all, its author’s alone to change, and anybody’s to react to', async () => {
  const [ann, ben] = everybody()
  const group = await openGroup(ben)
  const message = group.write(ben, 'hello', { isStarred: true, isStarredAt: 5, isSystem: true })
  expect((await group.push(ben, message, message)).body[0]).toMatchObject({ ok: true })
  const { body: stored } = await ask(ann, 'GET', `/sync/groups/${group.id}/${message._id}`)
  expect(stored).toMatchObject({ content: 'hello', status: 'sent', isStarred: false })
  expect(stored).not.toHaveProperty('isSystem')
  const taken = await group.push(ann, { ...stored, content: 'mine', editedAt: Date.now() })
  expect(taken.body[0]).toMatchObject({ error: 'forbidden', code: 'not_author' })
  const reactions = { [ann.userId]: { emoji: '👍', at: Date.now() } }
  expect((await group.push(ann, { ...stored, reactions })).body[0]).toMatchObject({ ok: true })
  const forged = group.write(ben, 'as Ann', { senderId: ann.userId })
  expect((await group.push(ben, forged)).body[0]).toMatchObject({ code: 'wrong_sender' })
  const file = group.write(ben, '', { mediaUrl: '/api/media/x' })
  expect((await group.push(ben, file)).body[0]).toMatchObject({ code: 'media_not_allowed' })
  const [shown] = (await ask(ann, 'GET', `/api/messages/${group.id}?limit=1`)).body
  expect(shown).toMatchObject({
    content: 'hello',
    recipient: { _id: group.id, username: 'Hikes' },
    reactions: [{ userId: ann.userId, emoji: '👍' }],
  })
})

test('stock PouchDB pulls a group, pushes to it, and gets nothing more once its person was removed', async () => {
  const [ann, ben] = everybody()
  const group = await openGroup(ben)
  await group.say(ann, 'from Ann')
  const folder = await mkdtemp(join(tmpdir(), 'petrel-group-'))
  type Local = Partial<GroupMessageDocument> & { _id: string }
  const local = new PouchDB<Partial<GroupMessageDocument>>(join(folder, 'ben'))
  onTestFinished(async () => {
    await local.close()
    await rm(folder, { recursive: true })
  })
  const bens = new PouchDB<Partial<GroupMessageDocument>>(
    `${opened.app.url}/sync/groups/${group.id}`,
    {
      fetch: (url, options = {}) => {
        const headers = new Headers(options.headers)
        headers.set('authorization', `Bearer ${ben.token}`)
        return PouchDB.fetch(url, { ...options, headers })
      },
    },
  )
  // The first line and the message.
  expect(await local.replicate.from(bens)).toMatchObject({ ok: true, docs_written: 2 })
  await local.put(group.write(ben, 'from Ben') as Local)
  expect((await local.replicate.to(bens)).doc_write_failures).toBe(0)
  expect(await group.wordsOf(ann)).toEqual(['[line]', 'from Ann', 'from Ben'])
  await ask(ann, 'DELETE', `${group.path}/members/${ben.userId}`)
  await group.say(ann, 'alone')
  await local.replicate.from(bens)
  const { rows } = await local.allDocs({ include_docs: true })
  const words = rows.flatMap(({ doc }) => doc?.content || [])
  expect(words.toSorted()).toEqual(['from Ann', 'from Ben'])
  await local.put(group.write(ben, 'late') as Local)
  expect((await local.replicate.to(bens)).doc_write_failures).toBe(1)
  expect(await group.wordsOf(ann)).not.toContain('late')
})

test('P12: a secret for somebody who never was in the group is refused, and one for who has left is not', async () => {
  const [ann, ben, cyd, dan] = everybody()
  const group = await openGroup(ben, cyd)
  await ask(cyd, 'POST', `${group.path}/leave`)
  const give = async (...people: TestPerson[]) => {
    const boxes = Object.fromEntries(people.map(({ userId }) => [userId, '1.box']))
    const epoch = { v: 1, name: 'a'.repeat(22), boxes }
    return (await group.push(ben, group.write(ben, '', { epoch }))).body[0]
  }
  expect(await give(ann, ben, dan)).toMatchObject({ error: 'forbidden', code: 'not_in_group' })
  // Taken, with a place of its own.
  expect(await give(ann, ben, cyd)).toMatchObject({ error: 'conflict' })
  await ask(ann, 'POST', `${group.path}/members`, { memberIds: [dan.userId] })
  expect(await give(dan)).toMatchObject({ error: 'conflict' })
})

test('only admins write where the group says so, and the blocked are not added', async () => {
  const [ann, ben, , dan] = everybody()
  const group = await openGroup(ben)
  await ask(ann, 'PUT', group.path, { settings: { whoWrites: 'admins' } })
  expect(codeOf(await group.say(ben, 'hello'))).toEqual([403, 'admins_only'])
  expect((await group.say(ann, 'hello')).status).toBe(201)
  // Who only reads may react, and seals that with a secret that all have to have.
  const epoch = {
    v: 1,
    name: 'a'.repeat(22),
    boxes: { [ann.userId]: '1.box', [ben.userId]: '1.box' },
  }
  const given = group.write(ben, '', { epoch })
  await group.push(ben, given)
  const { body: read } = await ask(ann, 'GET', `/sync/groups/${group.id}/${given._id}`)
  expect(read).toMatchObject({ epoch })
  await ask(dan, 'PUT', `/api/users/${ann.userId}/block`, { blocked: true })
  const adding = { memberIds: [dan.userId] }
  const added = await ask(ann, 'POST', `${group.path}/members`, adding)
  expect(codeOf(added)).toEqual([403, 'cannot_add'])
  await ask(dan, 'PUT', `/api/users/${ann.userId}/block`, { blocked: false })
  // A group of somebody's id would take what is written to them.
  const shadow = { _id: dan.userId, name: 'x', memberIds: [ben.userId] }
  expect(codeOf(await ask(ann, 'POST', '/api/groups', shadow))).toEqual([409, 'group_exists'])
})

test('P6: what a group refused is not sent by itself once the group would take it, and is when its author tries again', async () => {
  const [ann, ben] = everybody()
  const group = await openGroup(ben)
  await ask(ann, 'PUT', group.path, { settings: { whoWrites: 'admins' } })
  const written = group.write(ben, 'hello')
  const { body: refused } = await group.push(ben, written)
  expect(refused[0]).toMatchObject({ error: 'forbidden' })
  await ask(ann, 'PUT', group.path, { settings: { whoWrites: 'all' } })
  // The device says how it stands there: as not sent.
  const failed = { ...written, status: 'failed', errorCode: 'admins_only', error: 'Only admins.' }
  const { body: told } = await group.push(ben, failed)
  expect(told[0]).not.toHaveProperty('error')
  expect(await group.wordsOf(ann)).not.toContain('hello')
  await group.push(ben, { ...written, attempt: 2 })
  expect(await group.wordsOf(ann)).toContain('hello')
})

test('P7: the line tells the devices of members, and nobody else’s', async () => {
  const [ann, ben, cyd] = everybody()
  const group = await openGroup(ben)
  const connect = async (person: TestPerson, understands: string[]) => {
    const socket = await opened.groups.connect(person, understands)
    onTestFinished(() => socket.socket.close())
    return socket
  }
  const told = (socket: Awaited<ReturnType<typeof connect>>) =>
    socket.heard.filter((one) => (one.event as string) === 'group-changed').length
  const [bens, older, cyds] = await Promise.all([
    connect(ben, ['groups']),
    connect(ben, []),
    connect(cyd, ['groups']),
  ])
  await group.say(ann, 'hello')
  await expect.poll(() => told(bens)).toBe(1)
  await ask(ann, 'DELETE', `${group.path}/members/${ben.userId}`)
  await expect.poll(() => told(bens)).toBe(2)
  await group.say(ann, 'alone')
  // What follows on each line shows that nothing came before.
  for (const person of [ben, cyd]) {
    await ask(ann, 'POST', '/api/messages', { recipientId: person.userId, content: 'to you' })
  }
  for (const socket of [bens, older, cyds]) {
    await expect.poll(() => socket.count('receive-message')).toBe(1)
  }
  expect([told(bens), told(older), told(cyds)]).toEqual([2, 0, 0])
})

test('P12: what somebody writes in a group counts for their own room', async () => {
  const app = await startTestApp({ GROUPS: 'on', STORAGE_QUOTA_MB: '1' })
  onTestFinished(() => app.close())
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const post = ({ token }: TestPerson, path: string, body: object) =>
    app.call('POST', path, { token, body })
  const made = await post(ann, '/api/groups', { name: 'Hikes', memberIds: [ben.userId] })
  const recipientId = made.body.group._id
  const say = (person: TestPerson, content: string) =>
    post(person, '/api/messages', { recipientId, content })
  for (let times = 0; times < 17; times += 1) await say(ben, 'x'.repeat(65_000))
  expect(codeOf(await say(ben, 'more'))).toEqual([507, 'storage_full'])
  const last = await say(ann, 'there is room for Ann')
  expect(last.status).toBe(201)
  // Who is full may react, and seals that with a secret that the others have to have.
  const push = async (doc: object) =>
    (await post(ben, `/sync/groups/${recipientId}/_bulk_docs`, { docs: [doc] })).body[0]
  const boxes = { [ann.userId]: '1.box', [ben.userId]: '1.box' }
  const secret = (name: string, box: object) => ({
    ...{ _id: uuidv7(), peerId: recipientId, senderId: ben.userId, recipientId, content: '' },
    ...{ createdAt: Date.now(), orderedAt: Date.now(), status: 'sending' },
    epoch: { v: 1, name: name.repeat(22), boxes: box },
  })
  // Taken, with a place of its own.
  expect(await push(secret('a', boxes))).toMatchObject({ error: 'conflict' })
  // But the room beyond ends somewhere, as for reactions.
  const large = { [ann.userId]: `1.${'b'.repeat(290)}`, [ben.userId]: `1.${'b'.repeat(290)}` }
  const docs = Array.from({ length: 200 }, () => secret('b', large))
  await post(ben, `/sync/groups/${recipientId}/_bulk_docs`, { docs })
  expect(await push(secret('c', boxes))).toMatchObject({ code: 'storage_full' })
})

test('a deleted account leaves its groups, with a line', async () => {
  const [ann] = everybody()
  const fay = await opened.app.register('Fay')
  const group = await openGroup(fay)
  await opened.app.leave(fay)
  expect(Object.keys(await group.rolesOf())).toEqual(['Ann'])
  expect((await follow(ann, group.id)).words).toEqual(['[create]', '[leave]'])
})

test('the calls are described, with what each refuses', async () => {
  const { paths } = (await opened.app.call('GET', '/api/openapi.json')).body
  const calls = Object.keys(paths).filter((path) => path.startsWith('/groups'))
  expect(calls.toSorted()).toEqual([
    ...['/groups', '/groups/join/{code}', '/groups/places', '/groups/{id}', '/groups/{id}/invite'],
    ...['/groups/{id}/leave', '/groups/{id}/marks', '/groups/{id}/members'],
    ...['/groups/{id}/members/{userId}', '/groups/{id}/picture', '/groups/{id}/requests'],
    '/groups/{id}/requests/{userId}',
  ])
  expect(JSON.stringify(paths['/groups/{id}/members'])).toContain('cannot_add')
})

test('without the switch every door answers as if there were no groups', async () => {
  const app = await startTestApp({ GROUPS: 'off' })
  onTestFinished(() => app.close())
  const { token, userId } = await app.register('Ann')
  const body = { name: 'x', memberIds: [userId] }
  expect((await app.call('POST', '/api/groups', { token, body })).status).toBe(404)
  const changes = await app.call('POST', '/sync/groups/_changes', { token, body: { since: {} } })
  expect([changes.status, changes.body.reason]).toEqual([404, 'no_db_file'])
  const { paths } = (await app.call('GET', '/api/openapi.json')).body
  expect(Object.keys(paths)).not.toContain('/groups')
})
