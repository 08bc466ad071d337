import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../testing/test-files.ts'
import { codeOf, openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups()
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)
type TestGroup = Awaited<ReturnType<TestGroups['openGroup']>>

async function upload(person: TestPerson, key = uuidv7()): Promise<string> {
  const { body } = await uploadFile(opened.groups.app, person, { bytes: testBytes.png(), key })
  return body.mediaUrl
}

/** Writes a picture into the group, as a device does. @returns the row of the answer, and its id */
async function sendPicture(group: TestGroup, from: TestPerson, mediaUrl: string, rest = {}) {
  const message = group.write(from, '', { type: 'image', mediaUrl, ...rest })
  const [row] = (await group.push(from, message)).body
  return { message, row }
}

async function whoSees(mediaUrl: string): Promise<string[]> {
  const seen: string[] = []
  for (const person of everybody()) {
    if ((await ask(person, 'GET', mediaUrl)).status === 200) seen.push(person.username)
  }
  return seen
}

/** What the server holds of files: the kinds of its documents, with repeats. */
const countShares = async () => {
  const documents = await opened.groups.app.whileStopped((storage) =>
    storage.database<{ _id: string }>('media').range({ startkey: 'share:', endkey: 'share;' }),
  )
  return documents.length
}

const removePerson = (group: TestGroup, actor: TestPerson, { userId }: TestPerson) =>
  ask(actor, 'DELETE', `${group.path}/members/${userId}`)

describe('P8: the file of a message in a group', () => {
  test('is for its members, and for nobody else who has its address', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const mediaUrl = await upload(ann)
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect((await sendPicture(group, ann, mediaUrl)).row).toMatchObject({ ok: true })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd'])
    const [, last] = (await ask(ben, 'GET', `/api/messages/${group.id}`)).body
    expect(last).toMatchObject({ type: 'image', mediaUrl })
    const absent = await ask(everybody()[3], 'GET', `/api/media/${uuidv7()}`)
    const hidden = await ask(everybody()[3], 'GET', mediaUrl)
    expect(codeOf(hidden)).toEqual(codeOf(absent))
  })

  test('goes with the message, and its space is given back once nobody refers to it', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const before = await countShares()
    const mediaUrl = await upload(ann)
    const { message } = await sendPicture(group, ann, mediaUrl)
    // One for all members, whatever their number.
    expect(await countShares()).toBe(before + 1)
    const { body: stored } = await ask(ann, 'GET', `/sync/groups/${group.id}/${message._id}`)
    // Nobody but its author takes it back.
    await group.push(ben, { ...stored, deletedAt: Date.now() })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
    await group.push(ann, { ...stored, deletedAt: Date.now() })
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect(await countShares()).toBe(before)
  })

  test('is not to be had by naming its address in a message of one’s own', async () => {
    const [ann, ben, cyd] = everybody()
    const mediaUrl = await upload(ann)
    const before = await countShares()
    const own = await opened.groups.openGroup(ben, cyd)
    const { row } = await sendPicture(own, ben, mediaUrl)
    expect(row).toMatchObject({ error: 'forbidden', code: 'media_not_allowed' })
    const elsewhere = { recipientId: own.id, content: '', type: 'image', mediaUrl: '/api/media/x' }
    const refused = await ask(ben, 'POST', '/api/messages', elsewhere)
    expect(codeOf(refused)).toEqual([400, 'media_not_allowed'])
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect(await countShares()).toBe(before)
  })

  test('is not taken from others by a message that borrows its id or is refused', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const mediaUrl = await upload(ann)
    const { message } = await sendPicture(group, ann, mediaUrl)
    const shares = await countShares()
    const borrowed = group.write(ben, 'mine', { _id: message._id, type: 'image', mediaUrl })
    expect((await group.push(ben, borrowed)).body[0]).toMatchObject({ error: 'forbidden' })
    await group.push(ben, { ...borrowed, deletedAt: Date.now() })
    const forged = await sendPicture(group, ben, mediaUrl, { senderId: ann.userId })
    expect(forged.row).toMatchObject({ code: 'wrong_sender' })
    // A deletion that its own author gets wrong deletes nothing.
    await group.push(ann, { ...message, senderId: ben.userId, deletedAt: Date.now() })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd'])
    expect(await countShares()).toBe(shares)
  })

  test('P14: who was removed sees nothing newer, and what was there before as before', async () => {
    const [ann, ben, cyd, dan, eve] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const earlier = await upload(ann)
    await sendPicture(group, ann, earlier)
    await removePerson(group, ann, cyd)
    const later = await upload(ann)
    await sendPicture(group, ann, later)
    expect(await whoSees(earlier)).toEqual(['Ann', 'Ben', 'Cyd'])
    expect(await whoSees(later)).toEqual(['Ann', 'Ben'])
    // Who comes sees what is sent from then on.
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [dan.userId] })
    expect(await whoSees(later)).toEqual(['Ann', 'Ben'])
    const newest = await upload(ben)
    await sendPicture(group, ben, newest)
    expect(await whoSees(newest)).toEqual(['Ann', 'Ben', 'Dan'])
    await ask(ann, 'PUT', group.path, { settings: { showsHistory: true } })
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [eve.userId] })
    expect(await whoSees(later)).toEqual(['Ann', 'Ben', 'Eve'])
    // A late file of somebody who is out is refused, and nobody gets it.
    const late = await upload(cyd)
    const shares = await countShares()
    expect((await sendPicture(group, cyd, late)).row).toMatchObject({ code: 'group_left' })
    expect(await whoSees(late)).toEqual(['Cyd'])
    expect(await countShares()).toBe(shares)
  })

  test('is sent on by whoever reads it: into another group, to a person, and back', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await opened.groups.openGroup(ben)
    const other = await opened.groups.openGroup(cyd)
    const mediaUrl = await upload(ben)
    const { message } = await sendPicture(group, ben, mediaUrl)
    expect((await sendPicture(other, ann, mediaUrl)).row).toMatchObject({ ok: true })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd'])
    const given = { recipientId: dan.userId, content: '', type: 'image', mediaUrl }
    expect((await ask(cyd, 'POST', '/api/messages', given)).status).toBe(201)
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd', 'Dan'])
    const { body: stored } = await ask(ben, 'GET', `/sync/groups/${group.id}/${message._id}`)
    await group.push(ben, { ...stored, deletedAt: Date.now() })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd', 'Dan'])
    const sentBack = await sendPicture(group, ann, mediaUrl)
    expect(sentBack.row).toMatchObject({ ok: true })
  })

  test('is forwarded over REST into groups and to people, from a group and from a chat', async () => {
    const [ann, ben, cyd, dan, eve] = everybody()
    const group = await opened.groups.openGroup(ben)
    const left = await opened.groups.openGroup(ben, cyd)
    await ask(ben, 'POST', `${left.path}/leave`)
    const mediaUrl = await upload(ann)
    const { message } = await sendPicture(group, ann, mediaUrl)
    const other = await ask(ben, 'POST', '/api/groups', { name: 'Boats', memberIds: [dan.userId] })
    const { _id: otherId } = other.body.group
    const recipientIds = [otherId, cyd.userId, left.id]
    const forward = (person: TestPerson) =>
      ask(person, 'POST', `/api/messages/${message._id}/forward`, { recipientIds })
    const answer = await forward(ben)
    expect(answer.status).toBe(207)
    expect(answer.body.messages).toMatchObject([
      { recipient: { _id: otherId, username: 'Boats' }, mediaUrl, status: 'sent' },
      { recipient: { _id: cyd.userId, username: 'Cyd' }, mediaUrl, status: 'sent' },
      { recipient: { _id: left.id }, status: 'failed', errorCode: 'group_left' },
    ])
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd', 'Dan'])
    expect(codeOf(await forward(eve))).toEqual([404, 'message_not_found'])
  })

  test('P12: that a crash left on its way is given back, or back to its readers', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const before = await countShares()
    const [given, taken] = [await upload(ann), await upload(ann)]
    const { message } = await sendPicture(group, ann, taken)
    const ids = { [given]: uuidv7(), [taken]: message._id }
    // Killed before the one was written, and before the other was deleted.
    await opened.groups.app.whileStopped(async (storage) => {
      const media = storage.database<{ _id: string; mediaId?: string }>('media')
      const share = async (mediaUrl: string) => {
        const key = `served:${mediaUrl.split('/').at(-1)}`
        const mediaId = (await media.read([key])).get(key)?.mediaId
        return { _id: `share:${mediaId}:group-${group.id}:${ids[mediaUrl]}`, mediaId }
      }
      const [lost, left] = [await share(taken), await share(given)]
      await media.update([lost._id, left._id], (stored) => ({
        put: [left, ...[...stored.values()].map((one) => ({ ...one, _deleted: true as const }))],
        result: undefined,
      }))
      const moves = [given, taken].map((mediaUrl) => ({
        _id: `moving:${group.id}:${ids[mediaUrl]}:${mediaUrl.split('/').at(-1)}`,
        ...{ groupId: group.id, messageId: ids[mediaUrl], mediaUrl, senderId: ann.userId },
      }))
      const index = storage.database<{ _id: string }>('groups')
      await index.update(
        moves.map(({ _id }) => _id),
        () => ({ put: moves, result: undefined }),
      )
    })
    expect(await whoSees(taken)).toEqual(['Ann', 'Ben'])
    expect(await whoSees(given)).toEqual(['Ann'])
    expect(await countShares()).toBe(before + 1)
    const left = await opened.groups.app.whileStopped((storage) =>
      storage.database<{ _id: string }>('groups').range({ startkey: 'moving:', endkey: 'moving;' }),
    )
    expect(left).toEqual([])
  })

  test('goes with the group', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const before = await countShares()
    const mediaUrl = await upload(ann)
    await sendPicture(group, ann, mediaUrl)
    expect((await ask(ann, 'DELETE', group.path)).status).toBe(200)
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect(await countShares()).toBe(before)
  })

  test('sent twice is one, and counts once, for its author', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const bytesOf = async (person: TestPerson): Promise<number> =>
      (await ask(person, 'GET', '/api/users/me/usage')).body.fileBytes
    const usages = await Promise.all([ann, ben].map(bytesOf))
    const mediaUrl = await upload(ann)
    const sending = { _id: uuidv7(), recipientId: group.id, type: 'image', mediaUrl }
    expect((await ask(ann, 'POST', '/api/messages', sending)).status).toBe(201)
    expect((await ask(ann, 'POST', '/api/messages', sending)).status).toBe(200)
    await sendPicture(group, ben, mediaUrl)
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cyd'])
    const [annBefore = 0, benBefore] = usages
    await expect.poll(() => bytesOf(ann)).toBe(annBefore + testBytes.png().length)
    expect(await bytesOf(ben)).toBe(benBefore)
  })

  test('P11: that the server lost has its address again, and the members see it again', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const id = uuidv7()
    const mediaUrl = await upload(ann, id)
    await sendPicture(group, ann, mediaUrl, { _id: id })
    await opened.groups.app.whileStopped((storage) => storage.destroy('media'))
    const asked = { uploads: [{ id, mediaUrl }] }
    const missing = async () =>
      (await ask(ann, 'POST', '/api/messages/uploads/missing', asked)).body
    expect(await missing()).toEqual({ missing: [id] })
    expect(await upload(ann, id)).toBe(mediaUrl)
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect(await missing()).toEqual({ missing: [] })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
  })
})
