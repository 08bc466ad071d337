import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pieceBytes } from '../../media/media-documents.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../../testing/test-files.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson; cleo: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({ UPLOAD_LIMIT_MB: '1' })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
  opened.cleo = await opened.app.register('Cleo')
})
afterAll(() => opened.app.close())

async function fetchFile(
  mediaUrl: string,
  { token = opened.ann.token, method = 'GET', headers = {} as Record<string, string> } = {},
) {
  const response = await fetch(`${opened.app.url}${mediaUrl}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

async function upload(file: Parameters<typeof uploadFile>[2]) {
  const answer = await uploadFile(opened.app, opened.ann, file)
  expect(answer.status).toBe(201)
  return answer.body
}

describe('an uploaded file', () => {
  it.each([1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 7])(
    'of %i bytes is given back as it came',
    async (size) => {
      const bytes = size === 1 ? Buffer.from('x') : testBytes.png(size)
      const { mediaUrl, size: told } = await upload({ bytes, filename: 'a.png' })
      expect(told).toBe(size)
      const file = await fetchFile(mediaUrl)
      expect(file.status).toBe(200)
      expect(file.bytes.equals(bytes)).toBe(true)
    },
  )

  it('is what its bytes say, whatever its name and its sender say', async () => {
    const file = await upload({
      bytes: testBytes.png(),
      filename: 'page.html',
      mimeType: 'text/html',
    })
    expect(file).toEqual({
      mediaUrl: expect.stringMatching(/^\/api\/media\/[\da-f-]{36}$/),
      type: 'image',
      mimeType: 'image/png',
      size: 100,
      filename: 'page.html',
    })
    const { headers } = await fetchFile(file.mediaUrl)
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-disposition')).toMatch(/^inline/)
  })

  it.each([
    ['a page', '<!doctype html><script>alert(1)</script>', 'a.png'],
    [
      'a drawing with a script',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      'a.svg',
    ],
    ['a picture that is a page too', 'GIF89a/*<script>*/=1;alert(1)', 'a.gif'],
    ['a picture that is a PDF too', '\xff\xd8\xff\xe0%PDF-1.7', 'a.jpg'],
  ])('%s is given out as bytes to be saved only', async (_what, text, filename) => {
    const file = await upload({
      bytes: Buffer.from(text, 'latin1'),
      filename,
      mimeType: 'image/png',
    })
    expect(file).toMatchObject({ type: 'document', mimeType: 'application/octet-stream' })
    const { headers } = await fetchFile(file.mediaUrl)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
  })

  it('comes with headers under which it runs nothing, and is kept by nobody but its reader', async () => {
    const { mediaUrl } = await upload({ bytes: testBytes.pdf(), filename: 'Grüße "x".pdf' })
    const { headers } = await fetchFile(mediaUrl)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _x_.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20_x_.pdf`,
    )
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\system.ini', 'system.ini'],
    ['..', 'file'],
    ['\u202egpj.exe', 'gpj.exe'],
    ['.htaccess', 'htaccess'],
    ['Ж🐦.png', 'Ж🐦.png'],
  ])('named %j is called %j', async (given, told) => {
    const { filename, mediaUrl } = await upload({ bytes: testBytes.png(), filename: given })
    expect(filename).toBe(told)
    const disposition = (await fetchFile(mediaUrl)).headers.get('content-disposition')
    expect(disposition).toContain(`''${encodeURIComponent(told)}`)
  })
})

describe('a part of a file', () => {
  const bytes = testBytes.webm(2 * pieceBytes + 10)
  const kept = {} as { mediaUrl: string }
  beforeAll(async () => {
    kept.mediaUrl = (await upload({ bytes })).mediaUrl
  })
  const ask = (range: string, headers = {}) =>
    fetchFile(kept.mediaUrl, { headers: { range, ...headers } })
  const size = bytes.length

  it.each([
    ['bytes=0-0', 0, 0],
    [`bytes=${pieceBytes - 2}-${pieceBytes + 1}`, pieceBytes - 2, pieceBytes + 1],
    [`bytes=${pieceBytes}-`, pieceBytes, size - 1],
    ['bytes=-3', size - 3, size - 1],
    [`bytes=10-${size * 9}`, 10, size - 1],
    [`bytes=-${size * 9}`, 0, size - 1],
  ])('%s', async (range, start, end) => {
    const part = await ask(range)
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`)
    expect(part.headers.get('content-length')).toBe(String(end - start + 1))
    expect(part.bytes.equals(bytes.subarray(start, end + 1))).toBe(true)
  })

  it.each([`bytes=${size}-`, 'bytes=9999999999-99999999999', 'bytes=-0'])(
    '%s is not there',
    async (range) => {
      const part = await ask(range)
      expect(part.status).toBe(416)
      expect(part.headers.get('content-range')).toBe(`bytes */${size}`)
      expect(JSON.parse(String(part.bytes)).code).toBe('range_not_satisfiable')
    },
  )

  it.each([
    'bytes=a-b',
    'lines=0-5',
    'bytes=0-1,5-6,9-10',
    'bytes=5-2',
    'bytes=-',
    `bytes=${'9'.repeat(400)}-`,
    `bytes=${Array.from({ length: 1000 }, (_, at) => `${at * 3}-${at * 3}`).join(',')}`,
    'bytes=--5',
    '0-5',
  ])('%.30s… is answered with the whole', async (range) => {
    const part = await ask(range)
    expect(part.status).toBe(200)
    expect(part.bytes.length).toBe(size)
  })

  it('is given only of the same file as before', async () => {
    const tag = (await fetchFile(kept.mediaUrl)).headers.get('etag') ?? ''
    expect((await ask('bytes=0-5', { 'if-range': tag })).status).toBe(206)
    expect((await ask('bytes=0-5', { 'if-range': '"another"' })).status).toBe(200)
    expect(await statusOfKept({ ...opened, path: kept.mediaUrl, tag })).toBe(304)
    expect(await statusOfKept({ ...opened, path: kept.mediaUrl, tag: '"another"' })).toBe(200)
  })

  it('is not needed to learn about the whole', async () => {
    const head = await fetchFile(kept.mediaUrl, { method: 'HEAD' })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers.get('content-length')).toBe(String(size))
  })
})

describe('P8: a file', () => {
  it('is there for its owner only, as long as it is in no message', async () => {
    const { mediaUrl } = await upload({ bytes: testBytes.png() })
    expect((await fetchFile(mediaUrl)).status).toBe(200)
    for (const token of [opened.ben.token, opened.cleo.token]) {
      for (const method of ['GET', 'HEAD']) {
        expect((await fetchFile(mediaUrl, { token, method })).status).toBe(404)
      }
      const part = await fetchFile(mediaUrl, { token, headers: { range: 'bytes=9999-' } })
      expect(part.status).toBe(404)
    }
    expect((await opened.app.call('GET', mediaUrl)).status).toBe(401)
  })

  it.each([
    '/api/media/01890000-0000-7000-8000-00000000ffff',
    '/api/media/nothing',
    '/api/media/..%2f..%2faccounts',
    '/api/media/%00',
    '/api/media/__proto__',
    '/api/media/file:x',
    `/api/media/${'a'.repeat(5000)}`,
  ])('%.60s is no file, in the same words as one of somebody else', async (path) => {
    const { mediaUrl } = await upload({ bytes: testBytes.png() })
    const foreign = await opened.app.call('GET', mediaUrl, { token: opened.ben.token })
    const unknown = await opened.app.call('GET', path, { token: opened.ben.token })
    expect([unknown.status, unknown.body]).toEqual([foreign.status, foreign.body])
    expect(unknown.body).toEqual({ error: 'File not found', code: 'media_not_found' })
  })
})

/** Given such a header, fetch itself asks for no cached answer. */
function statusOfKept(asked: {
  app: TestApp
  ann: TestPerson
  path: string
  tag: string
}): Promise<number | undefined> {
  const { app, ann, path, tag } = asked
  const headers = { authorization: `Bearer ${ann.token}`, 'if-none-match': tag }
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: app.port, path, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })
}
