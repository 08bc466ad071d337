import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../../messages/acceptance/delivery-types.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadFile, uploadPicture } from '../../testing/test-files.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson; cleo: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({}, { isAtomic: false, onStage: hangBetweenCopies })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
  opened.cleo = await opened.app.register('Cleo')
})
afterAll(() => opened.app.close())

const crash: { reached?: (() => void) | undefined } = {}

/** Hangs forever between the copies of a message, once a test waits for it. */
async function hangBetweenCopies(stage: Stage) {
  if (stage !== 'peer' || !crash.reached) return
  crash.reached()
  await new Promise(() => undefined)
}

async function upload(person: TestPerson): Promise<string> {
  return (await uploadFile(opened.app, person, { bytes: testBytes.png() })).body.mediaUrl
}

/** Pushes a message as a device does. @returns the author's stored copy */
async function send(
  author: TestPerson,
  reader: TestPerson,
  fields: { mediaUrl: string; _id?: string; deletedAt?: number },
) {
  const now = Date.now()
  const { userId: senderId, token } = author
  const { userId: recipientId } = reader
  const doc = {
    _id: uuidv7(),
    senderId,
    recipientId,
    peerId: recipientId,
    type: 'image',
    content: '',
    createdAt: now,
    orderedAt: now,
    ...fields,
  }
  const path = '/sync/messages'
  const stored = await opened.app.call('GET', `${path}/${doc._id}`, { token })
  const docs = [{ ...stored.body, ...doc }]
  await opened.app.call('POST', `${path}/_bulk_docs`, { token, body: { docs } })
  return (await opened.app.call('GET', `${path}/${doc._id}`, { token })).body
}

async function whoSees(mediaUrl: string): Promise<string[]> {
  const people = [opened.ann, opened.ben, opened.cleo]
  const seen = await Promise.all(
    people.map(async ({ token, username }) =>
      (await opened.app.call('GET', mediaUrl, { token })).status === 200 ? [username] : [],
    ),
  )
  return seen.flat()
}

describe('P8: the file of a message', () => {
  it('is for its two people', async () => {
    const mediaUrl = await upload(opened.ann)
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect(await send(opened.ann, opened.ben, { mediaUrl })).toMatchObject({ status: 'sent' })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
  })

  it('is not to be had by naming its address in a message of one’s own', async () => {
    const mediaUrl = await upload(opened.ann)
    const refused = await send(opened.ben, opened.cleo, { mediaUrl })
    expect(refused).toMatchObject({ status: 'failed', errorCode: 'media_not_allowed', mediaUrl })
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
  })

  it('is for whoever it is sent on to, by somebody who got it', async () => {
    const mediaUrl = await upload(opened.ann)
    await send(opened.ann, opened.ben, { mediaUrl })
    expect(await send(opened.ben, opened.cleo, { mediaUrl })).toMatchObject({ status: 'sent' })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben', 'Cleo'])
  })

  it('goes from the other person with the message', async () => {
    const mediaUrl = await upload(opened.ann)
    const { _id } = await send(opened.ann, opened.ben, { mediaUrl })
    await send(opened.ann, opened.ben, { _id, mediaUrl, deletedAt: Date.now() })
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
  })

  it('goes from the other person with a message that is taken back after a crash', async () => {
    const mediaUrl = await upload(opened.ann)
    const _id = uuidv7()
    const reached = new Promise<void>((resolve) => Object.assign(crash, { reached: resolve }))
    send(opened.ann, opened.ben, { _id, mediaUrl }).catch(() => undefined)
    await reached
    Object.assign(crash, { reached: undefined })
    await opened.app.killAndStart()
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
    await send(opened.ann, opened.ben, { _id, mediaUrl, deletedAt: Date.now() })
    await expect.poll(() => whoSees(mediaUrl)).toEqual(['Ann'])
  })

  it('is not for whoever blocks its sender, nor are their pictures for each other', async () => {
    const { ben, cleo } = opened
    const picture = await uploadPicture(opened.app, cleo, { bytes: testBytes.png() })
    const { profilePicture } = picture.body
    expect(await whoSees(profilePicture)).toEqual(['Ann', 'Ben', 'Cleo'])
    const path = `/api/users/${cleo.userId}/block`
    await opened.app.call('PUT', path, { token: ben.token, body: { blocked: true } })
    const mediaUrl = await upload(cleo)
    expect(await send(cleo, ben, { mediaUrl })).toMatchObject({ status: 'sent' })
    expect(await whoSees(mediaUrl)).toEqual(['Cleo'])
    expect(await whoSees(profilePicture)).toEqual(['Ann', 'Cleo'])
    await opened.app.call('PUT', path, { token: ben.token, body: { blocked: false } })
    expect(await whoSees(profilePicture)).toEqual(['Ann', 'Ben', 'Cleo'])
  })

  it.each(['/api/media/nothing', `/api/media/${uuidv7()}`, '/api/media/../users/me'])(
    'has to be there: %s',
    async (mediaUrl) => {
      const refused = await send(opened.ann, opened.ben, { mediaUrl })
      expect(refused).toMatchObject({ status: 'failed', errorCode: 'media_not_allowed' })
    },
  )

  it('stays over a restart', async () => {
    const mediaUrl = await upload(opened.ann)
    await send(opened.ann, opened.ben, { mediaUrl })
    await opened.app.restart()
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
  })
})
