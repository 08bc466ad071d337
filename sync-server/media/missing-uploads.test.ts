import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import type { Stage } from '../messages/acceptance/delivery-types.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../testing/test-files.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson; cleo: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({}, { isAtomic: false, onStage })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
  opened.cleo = await opened.app.register('Cleo')
})
afterAll(() => opened.app.close())

const path = '/api/messages/uploads/missing'

/** Runs between the two copies of the next message. */
const between: { act?: (() => Promise<void>) | undefined } = {}

async function onStage(stage: Stage) {
  const { act } = between
  if (stage !== 'peer' || !act) return
  between.act = undefined
  await act()
}

async function upload(person: TestPerson, key: string): Promise<string> {
  return (await uploadFile(opened.app, person, { bytes: testBytes.png(), key })).body.mediaUrl
}

const loseFiles = () => opened.app.whileStopped((storage) => storage.destroy('media'))

async function ask({ token }: TestPerson, uploads: readonly { id: string; mediaUrl: string }[]) {
  return await opened.app.call('POST', path, { token, body: { uploads } })
}

async function send(
  author: TestPerson,
  reader: TestPerson,
  { status = 'sending', ...given }: { _id: string; mediaUrl: string; status?: 'sending' | 'sent' },
) {
  const now = Date.now()
  const { userId: senderId, token } = author
  const doc = {
    ...given,
    status,
    senderId,
    recipientId: reader.userId,
    peerId: reader.userId,
    type: 'image',
    content: '',
    createdAt: now,
    orderedAt: now,
  }
  await opened.app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs: [doc] } })
}

async function whoSees(mediaUrl: string): Promise<string[]> {
  const seen: string[] = []
  for (const { token, username } of [opened.ann, opened.ben, opened.cleo]) {
    const { status } = await opened.app.call('GET', mediaUrl, { token })
    if (status === 200) seen.push(username)
  }
  return seen
}

describe('P11: what the server has lost', () => {
  it('has the same address when it is uploaded again, and is seen again by whoever has its message', async () => {
    const { ann, ben } = opened
    const id = uuidv7()
    const mediaUrl = await upload(ann, id)
    await send(ann, ben, { _id: id, mediaUrl })
    const asked = [{ id, mediaUrl }]
    expect((await ask(ann, asked)).body).toEqual({ missing: [] })
    await loseFiles()
    expect((await ask(ann, asked)).body).toEqual({ missing: [id] })
    expect(await upload(ann, id)).toBe(mediaUrl)
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
    expect((await ask(ann, asked)).body).toEqual({ missing: [] })
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
  })

  it('has the same address also where it comes in pieces', async () => {
    const { ann } = opened
    const id = uuidv7()
    const mediaUrl = await upload(ann, id)
    await loseFiles()
    const bytes = testBytes.png()
    const at = `/api/messages/uploads/${id}`
    const { token } = ann
    await opened.app.call('PUT', at, { token, body: { size: bytes.length } })
    const response = await fetch(`${opened.app.url}${at}?offset=0`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    })
    expect(await response.json()).toMatchObject({ file: { mediaUrl } })
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
  })

  it('is seen by its reader also where it comes back while its message does', async () => {
    const { ann, ben } = opened
    const _id = uuidv7()
    const mediaUrl = await upload(ann, _id)
    await loseFiles()
    between.act = async () => {
      await upload(ann, _id)
      await ask(ann, [{ id: _id, mediaUrl }])
    }
    await send(ann, ben, { _id, mediaUrl, status: 'sent' })
    expect(between.act).toBeUndefined()
    expect(await whoSees(mediaUrl)).toEqual(['Ann', 'Ben'])
  })

  it('P8: is asked for of its owner alone, and nobody else can put anything there', async () => {
    const { ann, ben } = opened
    const id = uuidv7()
    const mediaUrl = await upload(ann, id)
    await send(ann, ben, { _id: id, mediaUrl })
    await loseFiles()
    expect((await ask(ben, [{ id, mediaUrl }])).body).toEqual({ missing: [] })
    expect(await upload(ben, id)).not.toBe(mediaUrl)
    expect(await whoSees(mediaUrl)).toEqual([])
  })

  it('P8: shows a file to nobody whose copy says nothing of it', async () => {
    const { ann, ben } = opened
    const [id, other] = [uuidv7(), uuidv7()]
    const mediaUrl = await upload(ann, id)
    await send(ann, ben, { _id: other, mediaUrl: await upload(ann, other) })
    await ask(ann, [{ id, mediaUrl }])
    await ask(ben, [{ id, mediaUrl }])
    expect(await whoSees(mediaUrl)).toEqual(['Ann'])
  })

  it('P12: is asked for in bounded lists', async () => {
    const one = { id: uuidv7(), mediaUrl: '/api/media/1' }
    const tooMany = Array.from({ length: limits.askedUploadsMax + 1 }, () => one)
    for (const uploads of [[], tooMany]) {
      expect((await ask(opened.ann, uploads)).status).toBe(400)
    }
  })
})
