import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { fileHead, testBytes, uploadFile, writeForm } from '../../testing/test-files.ts'
import { sendRaw } from './testing/send-raw.ts'

interface Place {
  app: TestApp
  ann: TestPerson
}
/** `hasty`: a server that gives up soon. The other has patience with a machine that stands still. */
const opened = {} as Place & { hasty: Place }
async function start(budget = {}): Promise<Place> {
  const app = await startTestApp({ UPLOAD_LIMIT_MB: '1' }, { budget })
  return { app, ann: await app.register('Ann') }
}
beforeAll(async () => {
  Object.assign(opened, await start(), { hasty: await start({ patienceMs: 2_000 }) })
})
afterAll(() => Promise.all([opened.app.close(), opened.hasty.app.close()]))

const MiB = 1024 * 1024
const png = testBytes.png()
const oneFile = [{ head: fileHead(), body: png }]
const ofForm = 'multipart/form-data; boundary=petrel'

function send(
  chunks: readonly (Buffer | string)[],
  headers: Record<string, string> = {},
  { app, ann }: Place = opened,
) {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return sendRaw({
    port: app.port,
    path: '/api/messages/upload',
    headers: {
      authorization: `Bearer ${ann.token}`,
      'content-type': ofForm,
      connection: 'close',
      ...('transfer-encoding' in headers ? {} : { 'content-length': String(bytes) }),
      ...headers,
    },
    chunks,
  })
}

const listStored = () =>
  opened.hasty.app.whileStopped(async (storage) =>
    (await storage.database('media').range({})).map(({ _id }) => _id),
  )

describe('an upload', () => {
  it.each([
    ['of a form as it should be', writeForm(oneFile), {}, 201, '"mediaUrl"'],
    ['of JSON', '{"file":"x"}', { 'content-type': 'application/json' }, 415, 'form_required'],
    ['of nothing', '', { 'content-type': 'text/plain' }, 415, 'form_required'],
    ['of an empty form', '', {}, 400, 'upload_unreadable'],
    [
      'of a form in fields',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'form_required',
    ],
    ['of a packed form', writeForm(oneFile), { 'content-encoding': 'gzip' }, 415, 'form_required'],
    [
      'without a boundary',
      writeForm(oneFile),
      { 'content-type': 'multipart/form-data' },
      400,
      'upload_unreadable',
    ],
    [
      'with another boundary',
      writeForm(oneFile),
      { 'content-type': 'multipart/form-data; boundary=another' },
      400,
      'upload_unreadable',
    ],
    [
      'with a boundary of thousands of signs',
      writeForm(oneFile),
      { 'content-type': `multipart/form-data; boundary=${'x'.repeat(8000)}` },
      400,
      'upload_unreadable',
    ],
    ['that ends before its end', writeForm(oneFile).subarray(0, -6), {}, 400, 'upload_unreadable'],
    [
      'of several pieces that ends before its end',
      writeForm([{ head: fileHead(), body: testBytes.png(MiB) }]).subarray(0, -6),
      {},
      400,
      'upload_unreadable',
    ],
    ['that ends inside a head', '--petrel\r\ncontent-dis', {}, 400, 'upload_unreadable'],
    ['of two files', writeForm([...oneFile, ...oneFile]), {}, 400, 'upload_unreadable'],
    [
      'under another name',
      writeForm([{ head: fileHead('__proto__'), body: png }]),
      {},
      400,
      'file_required',
    ],
    [
      'of a field in place of a file',
      writeForm([{ head: 'content-disposition: form-data; name="file"', body: 'text' }]),
      {},
      400,
      'file_required',
    ],
    ['of an empty file', writeForm([{ head: fileHead(), body: '' }]), {}, 400, 'file_required'],
    [
      'of a part without a name',
      writeForm([{ head: 'content-type: image/png', body: png }]),
      {},
      400,
      'file_required',
    ],
    [
      'with a hundred kilobytes of heads',
      writeForm([{ head: `${'x-a: '}${'b'.repeat(100_000)}\r\n${fileHead()}`, body: png }]),
      {},
      400,
      'file_required',
    ],
    [
      'of ten thousand parts',
      writeForm(
        Array.from({ length: 10_000 }, (_, at) => ({
          head: `content-disposition: form-data; name="${at}"`,
          body: 'x',
        })),
      ),
      {},
      400,
      'upload_unreadable',
    ],
    [
      'of forms in forms',
      writeForm([
        {
          head: 'content-disposition: form-data; name="file"\r\ncontent-type: multipart/mixed; boundary=inner',
          body: writeForm(oneFile, 'inner'),
        },
      ]),
      {},
      400,
      'file_required',
    ],
    [
      'with a length that is too small',
      writeForm(oneFile),
      { 'content-length': '60' },
      400,
      'Bad Request',
    ],
    [
      'with a length that is none',
      writeForm(oneFile),
      { 'content-length': '-1' },
      400,
      'Bad Request',
    ],
    [
      'with two ways to end it',
      writeForm(oneFile),
      { 'content-length': '5', 'transfer-encoding': 'chunked' },
      400,
      'Bad Request',
    ],
    ['in chunks that are none', 'zz\r\n', { 'transfer-encoding': 'chunked' }, 400, ''],
  ])('%s', async (_what, body, headers, status, words) => {
    const answer = await send([body], headers)
    expect(answer.text).toContain(words)
    expect(answer.status).toBe(status)
  })

  it('with an unending head is taken for what its size allows', async () => {
    const endless = [
      `--petrel\r\nx-a: `,
      ...Array.from({ length: 40 }, () => Buffer.alloc(MiB, 'x')),
    ]
    const answer = await send(endless)
    expect([answer.status, answer.text.includes('upload_unreadable')]).toEqual([400, true])
  })

  it('above the limit is told so in words, and one at the limit is taken', async () => {
    const at = await uploadFile(opened.app, opened.ann, { bytes: testBytes.png(MiB) })
    expect([at.status, at.body.size]).toEqual([201, MiB])
    for (const bytes of [testBytes.png(MiB + 1), testBytes.png(8 * MiB)]) {
      const above = await uploadFile(opened.app, opened.ann, { bytes })
      expect(above).toEqual({
        status: 413,
        body: { error: 'File size too large. Maximum size is 1MB.', code: 'file_too_large' },
      })
    }
  })

  it('from which nothing comes any more is ended', async () => {
    const form = writeForm([{ head: fileHead(), body: testBytes.png(MiB / 2) }])
    for (const bytes of [0, 10, 200, 400_000]) {
      const length = { 'content-length': String(form.length) }
      const answer = await send([form.subarray(0, bytes)], length, opened.hasty)
      expect([answer.status, answer.text.includes('upload_timed_out')]).toEqual([408, true])
    }
  })

  it('is not even read without a sign-in', async () => {
    const answer = await send([writeForm(oneFile)], { authorization: 'Bearer x' })
    expect(answer.status).toBe(401)
  })

  it('is one of a few at once', async () => {
    const form = writeForm(oneFile)
    const length = { 'content-length': String(form.length) }
    const halves = Array.from({ length: 5 }, () =>
      send([form.subarray(0, 90)], length, opened.hasty),
    )
    const statuses = (await Promise.all(halves)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([408, 408, 408, 408, 429])
    expect((await send([form], {}, opened.hasty)).status).toBe(201)
  })

  it('that did not end well leaves nothing behind', async () => {
    const { app, ann } = opened.hasty
    const before = await listStored()
    const form = writeForm([{ head: fileHead(), body: testBytes.png(MiB) }])
    for (const bytes of [0, 50, 150, 100_000, 600_000, form.length - 4]) {
      await sendRaw({
        port: app.port,
        path: '/api/messages/upload',
        headers: {
          authorization: `Bearer ${ann.token}`,
          'content-type': ofForm,
          'content-length': String(form.length),
        },
        chunks: [form.subarray(0, bytes)],
        cutOff: AbortSignal.abort(),
      })
    }
    const length = { 'content-length': String(form.length) }
    await send([form.subarray(0, 700_000)], length, opened.hasty)
    await send([form.subarray(0, -6)], {}, opened.hasty)
    await uploadFile(app, ann, { bytes: testBytes.png(3 * MiB) })
    expect(await listStored()).toEqual(before)
  })
})
