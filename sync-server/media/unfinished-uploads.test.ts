import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openTestRequest } from '../testing/open-test-request.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../testing/test-files.ts'
import { pieceBytes } from './media-documents.ts'

const MiB = 1024 * 1024
const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({ UPLOAD_LIMIT_MB: '2', STORAGE_QUOTA_MB: '10' })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const pathOf = (id: string) => `/api/messages/uploads/${id}`

async function begin(id: string, size: number, { token } = opened.ann) {
  const body = { size, filename: 'a.png' }
  const answer = await opened.app.call('PUT', pathOf(id), { token, body })
  return { status: answer.status, body: answer.body }
}

async function send(id: string, offset: number | string, bytes: Buffer, { token } = opened.ann) {
  const response = await fetch(`${opened.app.url}${pathOf(id)}?offset=${offset}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, body: await response.json() }
}

/** A part that announces all of these bytes but sends only some. */
async function sendSome(id: string, offset: number, bytes: Buffer, sent: number) {
  const request = await openTestRequest({
    port: opened.app.port,
    token: opened.ann.token,
    method: 'PATCH',
    path: `${pathOf(id)}?offset=${offset}`,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      // Closed by its answer, not a minute later.
      connection: 'close',
    },
  })
  onTestFinished(() => request.hangUp())
  request.send(bytes.subarray(0, sent))
  return request
}

async function fetchFile(mediaUrl: string, { token } = opened.ann) {
  const response = await fetch(`${opened.app.url}${mediaUrl}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

const readUsed = async ({ token } = opened.ann): Promise<number> =>
  (await opened.app.call('GET', '/api/users/me/usage', { token })).body.fileBytes

const countKinds = (kind: string) =>
  opened.app.whileStopped(async (storage) => {
    const documents = await storage.database('media').range({})
    return documents.filter(({ _id }) => _id.startsWith(`${kind}:`)).length
  })

describe('an upload in pieces', () => {
  it.each([1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 7])(
    'P2: of %i bytes is one file, given back as it came, whatever is repeated',
    async (size) => {
      const id = uuidv7()
      const bytes = size === 1 ? Buffer.from('x') : testBytes.png(size)
      const before = await readUsed()
      expect(await begin(id, size)).toEqual({ status: 200, body: { offset: 0 } })
      expect(await begin(id, size)).toEqual({ status: 200, body: { offset: 0 } })
      let at = 0
      while (at < size) {
        const part = bytes.subarray(at, at + pieceBytes)
        const answers = [await send(id, at, part), await send(id, at, part)]
        at = Math.min(at + pieceBytes, size)
        for (const { status, body } of answers) {
          expect([status, body.offset]).toEqual([200, at])
          expect(body.file !== undefined).toBe(at === size)
        }
      }
      const again = await begin(id, size)
      expect(again.body.file).toMatchObject({ size, filename: 'a.png' })
      expect((await send(id, 0, bytes)).body).toEqual(again.body)
      const inOne = await uploadFile(opened.app, opened.ann, { bytes, filename: 'a.png', key: id })
      expect(inOne.body).toEqual(again.body.file)
      const file = await fetchFile(again.body.file.mediaUrl)
      expect(file.bytes.equals(bytes)).toBe(true)
      expect(await readUsed()).toBe(before + size)
    },
  )

  it('holds what was stored before the line broke, and before a kill of the server', async () => {
    const id = uuidv7()
    const bytes = testBytes.png(4 * pieceBytes + 9)
    await begin(id, bytes.length)
    const offsetOf = async () => (await begin(id, bytes.length)).body.offset
    const cut = await sendSome(id, 0, bytes, 2 * pieceBytes + 5_000)
    await expect.poll(offsetOf).toBe(2 * pieceBytes)
    cut.hangUp()
    const killed = await sendSome(
      ...([id, 2 * pieceBytes] as const),
      ...([bytes.subarray(2 * pieceBytes), pieceBytes + 5_000] as const),
    )
    await expect.poll(offsetOf).toBe(3 * pieceBytes)
    await opened.app.killAndStart()
    killed.hangUp()
    expect(await offsetOf()).toBe(3 * pieceBytes)
    const { body } = await send(id, 3 * pieceBytes, bytes.subarray(3 * pieceBytes))
    expect((await fetchFile(body.file.mediaUrl)).bytes.equals(bytes)).toBe(true)
  })

  it('goes on while a part hangs on a line that is dead, and that part does no harm', async () => {
    const id = uuidv7()
    const bytes = testBytes.png(3 * pieceBytes)
    await begin(id, bytes.length)
    const hanging = await sendSome(id, 0, bytes, pieceBytes + 5_000)
    await expect.poll(async () => (await begin(id, bytes.length)).body.offset).toBe(pieceBytes)
    const { body } = await send(id, pieceBytes, bytes.subarray(pieceBytes))
    expect(body.offset).toBe(bytes.length)
    hanging.send(bytes.subarray(pieceBytes + 5_000))
    expect([409, 404]).toContain((await hanging.closed).status)
    expect((await fetchFile(body.file.mediaUrl)).bytes.equals(bytes)).toBe(true)
  })

  it('of the same parts side by side is one file', async () => {
    const id = uuidv7()
    const bytes = testBytes.png(2 * pieceBytes)
    const before = await readUsed()
    await Promise.all([1, 2, 3].map(() => begin(id, bytes.length)))
    await Promise.all([1, 2, 3].map(() => send(id, 0, bytes)))
    const { body } = await begin(id, bytes.length)
    expect((await fetchFile(body.file.mediaUrl)).bytes.equals(bytes)).toBe(true)
    expect(await readUsed()).toBe(before + bytes.length)
  })

  it('stores less than a piece only as the last one', async () => {
    const id = uuidv7()
    const bytes = testBytes.png(2 * pieceBytes)
    await begin(id, bytes.length)
    const part = bytes.subarray(0, pieceBytes + 100)
    expect((await send(id, 0, part)).body).toEqual({ offset: pieceBytes })
  })
})

describe('P8: an upload of somebody else', () => {
  it('is none: nobody sees how far it has come, goes on with it or ends it', async () => {
    const id = uuidv7()
    const bytes = testBytes.png(2 * pieceBytes)
    await begin(id, bytes.length)
    await send(id, 0, bytes.subarray(0, pieceBytes))
    const unknown = await send(uuidv7(), pieceBytes, bytes.subarray(pieceBytes), opened.ben)
    const strange = await send(id, pieceBytes, bytes.subarray(pieceBytes), opened.ben)
    expect(strange).toEqual(unknown)
    expect([strange.status, strange.body.code]).toEqual([404, 'upload_not_found'])
    const { token } = opened.ben
    const ended = await opened.app.call('DELETE', pathOf(id), { token })
    expect(ended.body).toEqual((await opened.app.call('DELETE', pathOf(uuidv7()), { token })).body)
    expect((await begin(id, bytes.length, opened.ben)).body).toEqual({ offset: 0 })
    const { body } = await send(id, pieceBytes, bytes.subarray(pieceBytes))
    expect((await fetchFile(body.file.mediaUrl)).bytes.equals(bytes)).toBe(true)
    expect((await fetchFile(body.file.mediaUrl, opened.ben)).status).toBe(404)
    expect((await begin(id, bytes.length, opened.ben)).body).toEqual({ offset: 0 })
  })
})

describe('P12: an upload in pieces', () => {
  it.each([
    ['above the limit', { size: 2 * MiB + 1 }, 413, 'file_too_large'],
    ['of nothing', { size: 0 }, 400, 'invalid_input'],
    ['of half a byte', { size: 1.5 }, 400, 'invalid_input'],
    ['of words', { size: '5' }, 400, 'invalid_input'],
    ['without a size', {}, 400, 'invalid_input'],
  ])('%s is refused before anything is stored', async (_what, body, status, code) => {
    const { token } = opened.ann
    const answer = await opened.app.call('PUT', pathOf(uuidv7()), { token, body })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  it.each(['', '-1', '1e3', 'x', '9'.repeat(16)])('takes no offset of “%s”', async (offset) => {
    const id = uuidv7()
    await begin(id, 100)
    const answer = await send(id, offset, testBytes.png())
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
  })

  it('takes nothing beyond its size, nothing after a gap, and nothing but bytes', async () => {
    const id = uuidv7()
    await begin(id, pieceBytes + 10)
    const above = await send(id, 0, testBytes.png(pieceBytes + 11))
    expect([above.status, above.body.code]).toEqual([400, 'upload_unreadable'])
    const gap = await send(id, 2 * pieceBytes, testBytes.png(5))
    expect([gap.status, gap.body.code]).toEqual([409, 'upload_out_of_step'])
    const { token } = opened.ann
    const path = `${pathOf(id)}?offset=0`
    for (const request of [{ body: {} }, {}]) {
      const answer = await opened.app.call('PATCH', path, { token, ...request })
      expect([answer.status, answer.body.code]).toEqual([415, 'bytes_required'])
    }
  })

  it('counts in full from its beginning, is refused where there is no room, and ends with what it took', async () => {
    const cem = await opened.app.register('Cem')
    const ids = [1, 2, 3, 4, 5].map(() => uuidv7())
    for (const id of ids) expect((await begin(id, 2 * MiB, cem)).status).toBe(200)
    expect(await readUsed(cem)).toBe(10 * MiB)
    const refused = await begin(uuidv7(), 1, cem)
    expect([refused.status, refused.body.code]).toEqual([507, 'storage_full'])
    // A begun upload has its room reserved, whatever follows.
    const bytes = testBytes.png(2 * MiB)
    expect((await send(ids[0] as string, 0, bytes, cem)).body.offset).toBe(bytes.length)
    for (const id of ids.slice(1)) {
      await opened.app.call('DELETE', pathOf(id), { token: cem.token })
    }
    expect(await readUsed(cem)).toBe(2 * MiB)
    expect((await begin(uuidv7(), 1, cem)).status).toBe(200)
  })

  it('is one of a few that are begun: the oldest makes room, and starts over', async () => {
    const dan = await opened.app.register('Dan')
    const ids = Array.from({ length: 33 }, () => uuidv7())
    for (const id of ids) await begin(id, 2_000, dan)
    expect((await send(ids[0] as string, 0, testBytes.png(2_000), dan)).status).toBe(404)
    expect(await readUsed(dan)).toBe(32 * 2_000)
    expect((await begin(ids[0] as string, 2_000, dan)).body).toEqual({ offset: 0 })
  })

  it('is not heard once its sign-in has ended, and leaves nothing when its account goes', async () => {
    const eve = await opened.app.register('Eve')
    const id = uuidv7()
    const bytes = testBytes.png(2 * pieceBytes)
    await begin(id, bytes.length, eve)
    await send(id, 0, bytes.subarray(0, pieceBytes), eve)
    const [files, parts] = [await countKinds('file'), await countKinds('part')]
    const request = await openTestRequest({
      port: opened.app.port,
      token: eve.token,
      method: 'PATCH',
      path: `${pathOf(id)}?offset=${pieceBytes}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(pieceBytes),
      },
    })
    request.send(bytes.subarray(pieceBytes, pieceBytes + 50))
    const { token, password } = eve
    const gone = await opened.app.call('DELETE', '/api/users/me', { token, body: { password } })
    expect(gone.status).toBe(200)
    request.send(bytes.subarray(pieceBytes + 50))
    expect((await request.closed).status).toBe(401)
    expect(await countKinds('file')).toBe(files - 1)
    expect(await countKinds('part')).toBe(parts - 1)
  })
})
