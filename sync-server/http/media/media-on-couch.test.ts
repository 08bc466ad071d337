import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { pieceBytes } from '../../media/media-documents.ts'
import { describeCouches } from '../../storage/couch/couches.contract.ts'
import { createStorage } from '../../storage/storage.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { fileHead, testBytes, uploadFile, writeForm } from '../../testing/test-files.ts'
import { sendRaw } from './testing/send-raw.ts'

const secret = 'a secret of the test, long enough'
const opened = {} as { app: TestApp; ann: TestPerson }

describeCouches('files', (couch) => {
  beforeAll(async () => {
    opened.app = await startTestApp({
      COUCHDB_URL: couch.url,
      JWT_SECRET: secret,
    })
    opened.ann = await opened.app.register('Ann')
  })
  afterAll(() => opened.app.close())

  it('a file is given back as it came, whole and in parts', async () => {
    const bytes = testBytes.png(2 * pieceBytes + 5)
    const { mediaUrl } = (await uploadFile(opened.app, opened.ann, { bytes })).body
    const read = async (headers: Record<string, string>) => {
      const authorization = `Bearer ${opened.ann.token}`
      const response = await fetch(`${opened.app.url}${mediaUrl}`, {
        headers: { authorization, ...headers },
      })
      return Buffer.from(await response.arrayBuffer())
    }
    expect((await read({})).equals(bytes)).toBe(true)
    const range = { range: `bytes=${pieceBytes - 3}-${pieceBytes + 3}` }
    expect((await read(range)).equals(bytes.subarray(pieceBytes - 3, pieceBytes + 4))).toBe(true)
  })

  it('files that come at once through several servers are all kept, and counted once', async () => {
    const { app } = opened
    const cem = await app.register('Cem')
    const other = await startTestApp({ COUCHDB_URL: couch.url, JWT_SECRET: secret })
    onTestFinished(() => other.close())
    const size = 1_000
    const bytes = testBytes.png(size)
    for (const _round of [1, 2, 3]) {
      const both = [app, other, app, other, app, other]
      const done = await Promise.all(
        both.map((at) => uploadFile(at, cem, { bytes, key: uuidv7() })),
      )
      for (const { status, body } of done) {
        expect([status, body]).toMatchObject([201, { size }])
        const answer = await app.call('GET', body.mediaUrl, { token: cem.token })
        expect(answer.status).toBe(200)
      }
    }
    await app.restart()
    const usage = await app.call('GET', '/api/users/me/usage', { token: cem.token })
    expect(usage.body).toMatchObject({ fileBytes: 3 * 6 * size })
  })

  it('an upload in pieces goes on through another server, is counted once, and is given back as it came', async () => {
    const { app } = opened
    const dan = await app.register('Dan')
    const other = await startTestApp({ COUCHDB_URL: couch.url, JWT_SECRET: secret })
    onTestFinished(() => other.close())
    const bytes = testBytes.png(2 * pieceBytes + 5)
    const path = `/api/messages/uploads/${uuidv7()}`
    const begun = { token: dan.token, body: { size: bytes.length, filename: 'a.png' } }
    await Promise.all([app, other].map((at) => at.call('PUT', path, begun)))
    const send = async (at: TestApp, offset: number, end?: number) => {
      const response = await fetch(`${at.url}${path}?offset=${offset}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${dan.token}`,
          'content-type': 'application/octet-stream',
        },
        body: new Uint8Array(bytes.subarray(offset, end)),
      })
      return await response.json()
    }
    expect(await send(app, 0, pieceBytes)).toEqual({ offset: pieceBytes })
    const { file } = await send(other, pieceBytes)
    const response = await fetch(`${app.url}${file.mediaUrl}`, {
      headers: { authorization: `Bearer ${dan.token}` },
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    await app.restart()
    const usage = await app.call('GET', '/api/users/me/usage', { token: dan.token })
    expect(usage.body).toMatchObject({ fileBytes: bytes.length })
  })

  it('an upload that is cut off after its first pieces leaves nothing behind', async () => {
    const storage = createStorage({ dataDir: '', couchdbUrl: couch.url })
    const list = () => storage.attachments('media').list({ startkey: 'a', endkey: 'z' })
    const before = await list()
    const form = writeForm([{ head: fileHead(), body: testBytes.png(4 * pieceBytes) }])
    const cut = new AbortController()
    const sent = sendRaw({
      port: opened.app.port,
      path: '/api/messages/upload',
      headers: {
        authorization: `Bearer ${opened.ann.token}`,
        'content-type': 'multipart/form-data; boundary=petrel',
        'content-length': String(form.length),
      },
      chunks: [form.subarray(0, 3 * pieceBytes)],
      cutOff: cut.signal,
    })
    const countPieces = async () =>
      (await list()).filter((id) => id.startsWith('part:') && !before.includes(id)).length
    await expect.poll(countPieces).toBeGreaterThan(1)
    cut.abort()
    await sent
    await expect.poll(list).toEqual(before)
    await storage.close()
  })
})
