import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { deriveId } from '../lib/derive-id.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadGroupPicture } from '../testing/test-files.ts'
import { codeOf, openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups()
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)
type TestGroup = Awaited<ReturnType<TestGroups['openGroup']>>

const set = (group: TestGroup, from: TestPerson, bytes = testBytes.png(), rest: object = {}) =>
  uploadGroupPicture(opened.groups.app, from, group.id, { bytes, ...rest })

/** Ann gives it a picture. @returns its address */
async function setPicture(group: TestGroup, bytes = testBytes.png()): Promise<string> {
  const { status, body } = await set(group, everybody()[0], bytes)
  expect(status).toBe(200)
  expect(body.group.picture).toMatch(/^\/api\/media\/[\w-]+$/)
  return body.group.picture
}

async function whoSees(address: string): Promise<string[]> {
  const seen: string[] = []
  for (const person of everybody()) {
    if ((await ask(person, 'GET', address)).status === 200) seen.push(person.username)
  }
  return seen
}

const usageOf = async (person: TestPerson): Promise<number> =>
  (await ask(person, 'GET', '/api/users/me/usage')).body.fileBytes

describe('the picture of a group', () => {
  test('P8: is for its members, is told with a line, and is in every answer about the group', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    expect(await group.read()).toMatchObject({ picture: null })
    const picture = await setPicture(group)
    expect(await whoSees(picture)).toEqual(['Ann', 'Ben', 'Cyd'])
    expect(await group.read(ben)).toMatchObject({ picture })
    const [, line] = (await ask(ben, 'GET', `/api/messages/${group.id}`)).body
    expect(line).toMatchObject({ sender: { _id: ann.userId }, isSystem: true })
    expect(line.line.change).toEqual({ kind: 'picture', picture })
    const listed = (await ask(ben, 'GET', '/api/messages/conversations')).body.find(
      ({ _id }: { _id: string }) => _id === group.id,
    )
    expect(listed).toMatchObject({ groupAvatar: picture, user: { profilePicture: picture } })
    // Who is outside learns nothing, not even that there is such a file.
    const hidden = await ask(dan, 'GET', picture)
    expect(codeOf(hidden)).toEqual(codeOf(await ask(dan, 'GET', `/api/media/${uuidv7()}`)))
  })

  test('who leaves sees it no longer, and who comes does', async () => {
    const [ann, ben, , dan] = everybody()
    const group = await opened.groups.openGroup(ben)
    const picture = await setPicture(group)
    await ask(ben, 'POST', `${group.path}/leave`)
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [dan.userId] })
    expect(await whoSees(picture)).toEqual(['Ann', 'Dan'])
  })

  test('another one takes its place, and its room', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const before = { ann: await usageOf(ann), ben: await usageOf(ben) }
    const [small, large] = [testBytes.png(2_000), testBytes.png(200_000)]
    const first = await setPicture(group, large)
    expect((await usageOf(ann)) - before.ann).toBe(large.length)
    const second = (await set(group, ben, small)).body.group.picture
    expect(await whoSees(first)).toEqual([])
    expect(await whoSees(second)).toEqual(['Ann', 'Ben'])
    // It counts for who gave it, and no longer for who gave the one before (P12).
    expect(await usageOf(ann)).toBe(before.ann)
    expect((await usageOf(ben)) - before.ben).toBe(small.length)
    const removed = await ask(ann, 'PUT', group.path, { picture: null })
    expect(removed.body.group.picture).toBeNull()
    expect(await whoSees(second)).toEqual([])
    expect(await usageOf(ben)).toBe(before.ben)
    // Once more changes nothing, and says nothing.
    await ask(ann, 'PUT', group.path, { picture: null })
    const kinds = (await ask(ben, 'GET', `/api/messages/${group.id}`)).body.flatMap(
      (one: { line?: { change: { kind: string } } }) => one.line?.change.kind ?? [],
    )
    expect(kinds).toEqual(['create', 'picture', 'picture', 'picture'])
  })

  test('P2: the same request twice is one picture and one line', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const key = uuidv7()
    const first = await set(group, ann, testBytes.png(), { key })
    const again = await set(group, ann, testBytes.png(), { key })
    expect(again.body.group.picture).toBe(first.body.group.picture)
    expect(await group.wordsOf(ben)).toHaveLength(2)
    expect(await whoSees(first.body.group.picture)).toEqual(['Ann', 'Ben'])
  })

  test('only who may change the group gives it one, and to others it does not exist', async () => {
    const [ann, ben, , dan] = everybody()
    const group = await opened.groups.openGroup(ben)
    await ask(ann, 'PUT', group.path, { settings: { whoChanges: 'admins' } })
    const before = await usageOf(ben)
    expect(codeOf(await set(group, ben))).toEqual([403, 'admins_only'])
    expect(codeOf(await ask(ben, 'PUT', group.path, { picture: null }))).toEqual([
      403,
      'admins_only',
    ])
    expect(codeOf(await set(group, dan))).toEqual([404, 'group_not_found'])
    expect(codeOf(await ask(dan, 'PUT', group.path, { picture: null }))).toEqual([
      404,
      'group_not_found',
    ])
    expect(await usageOf(ben)).toBe(before)
    expect(await group.read()).toMatchObject({ picture: null })
  })

  test.each([
    ['nothing', Buffer.alloc(0), {}, 400, 'picture_required'],
    ['another part', testBytes.png(), { fieldName: 'file' }, 400, 'picture_required'],
    ['a page', Buffer.from('<html>'), {}, 415, 'picture_type_not_allowed'],
    ['too much', testBytes.png(limits.pictureInputMaxBytes + 1), {}, 413, 'file_too_large'],
  ])('%s is no picture', async (_what, bytes, rest, status, code) => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    expect(codeOf(await set(group, ann, bytes, rest))).toEqual([status, code])
    expect(await group.read()).toMatchObject({ picture: null })
  })

  test('an address is nothing that somebody can give it: a file elsewhere, or another’s', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const other = await opened.groups.openGroup()
    for (const picture of ['https://example.org/a.png', await setPicture(other)]) {
      expect((await ask(ann, 'PUT', group.path, { picture })).status).toBe(400)
    }
  })

  test('a link shows it to who has its code, as long as the link holds', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben)
    const picture = await setPicture(group)
    const { code } = (await ask(ann, 'POST', `${group.path}/invite`, {})).body
    const shown = (await ask(cyd, 'GET', `/api/groups/join/${code}`)).body.picture
    expect(shown).toBe(`${picture}?code=${code}`)
    expect((await ask(cyd, 'GET', shown)).status).toBe(200)
    expect((await ask(cyd, 'GET', picture)).status).toBe(404)
    expect((await ask(cyd, 'GET', `${picture}?code=${code}x`)).status).toBe(404)
    // The code of another group shows nothing of this one.
    const other = await opened.groups.openGroup(ben)
    const made = await ask(ann, 'POST', `${other.path}/invite`, {})
    expect((await ask(cyd, 'GET', `${picture}?code=${made.body.code}`)).status).toBe(404)
    await ask(ann, 'DELETE', `${group.path}/invite`)
    expect((await ask(cyd, 'GET', shown)).status).toBe(404)
  })

  test('goes with its group', async () => {
    const [ann, ben] = everybody()
    const before = await usageOf(ann)
    const group = await opened.groups.openGroup(ben)
    const picture = await setPicture(group)
    await ask(ann, 'DELETE', group.path)
    expect(await whoSees(picture)).toEqual([])
    expect(await usageOf(ann)).toBe(before)
  })

  test('P12: who has no room left gives no group a picture', async () => {
    const groups = await openTestGroups({ STORAGE_QUOTA_MB: '1' })
    onTestFinished(() => groups.close())
    const [ann, ben] = groups.people
    const group = await groups.openGroup(ben)
    const large = { bytes: testBytes.png(1024 * 1024) }
    expect(codeOf(await uploadGroupPicture(groups.app, ann, group.id, large))).toEqual([
      507,
      'storage_full',
    ])
    expect(await group.read()).toMatchObject({ picture: null })
  })
})

test('what a crash left between a picture and its group is swept or kept as the group says', async () => {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  const key = deriveId(group.id, 'a picture')
  const { body } = await set(group, ann, testBytes.png(), { key })
  // As the call goes again whose answer was lost, after somebody gave it another picture.
  const second = await setPicture(group)
  const again = await set(group, ann, testBytes.png(), { key })
  expect(again.body.group.picture).toBe(second)
  expect(await whoSees(body.group.picture)).toEqual([])
  expect(await whoSees(second)).toEqual(['Ann', 'Ben'])
})
