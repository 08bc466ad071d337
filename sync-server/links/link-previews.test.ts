import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { startTestApp } from '../testing/start-test-app.ts'
import { testBytes } from '../testing/test-files.ts'
import { createBoundedFetch, createLinkPreviews, readPage } from './link-previews.ts'

/** A site on this machine, and who asked it for what. */
async function startSite(answer: RequestListener) {
  const asked: { url: string; headers: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { asked, host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
}

/** Answers by path: a page, a redirect, or a file with its type. */
function serve(files: Record<string, { type?: string; body?: string | Uint8Array; to?: string }>) {
  const answer: RequestListener = ({ url = '' }, response) => {
    const file = files[url]
    if (!file) return void response.writeHead(404).end()
    if (file.to) return void response.writeHead(302, { location: file.to }).end()
    response.writeHead(200, { 'content-type': file.type ?? 'text/html' }).end(file.body)
  }
  return answer
}

const never = () => new AbortController().signal
const page = (head: string) => `<!doctype html><html><head>${head}</head><body>words</body></html>`
const harbour = page(`<title>not this</title>
  <meta property="og:title" content="The harbour &amp; its lamp">
  <META name='description' content='Boats, &#x201C;old&#8221; and new.'>
  <meta property="og:image" content="/lamp.png">`)

test('a page says its title, description and picture, and is told nothing but that it is asked', async () => {
  const png = testBytes.png()
  const site = await startSite(
    serve({
      '/old': { to: '/harbour' },
      '/harbour': { body: harbour },
      '/lamp.png': { type: 'image/png', body: new Uint8Array(png) },
    }),
  )
  const read = await createLinkPreviews(`on ${site.host}`).read(`${site.origin}/old`, never())
  expect(read).toEqual({
    title: 'The harbour & its lamp',
    description: 'Boats, “old” and new.',
    picture: `data:image/png;base64,${png.toString('base64')}`,
  })
  expect(site.asked.map(({ url }) => url)).toEqual(['/old', '/harbour', '/lamp.png'])
  for (const { headers } of site.asked) {
    expect(Object.keys(headers).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
    )
  }
})

test('P8: nothing inside a private network is fetched: by number, by name, or by a redirect', async () => {
  const inside = await startSite(serve({ '/': { body: harbour } }))
  const leading = await startSite(
    serve({
      '/by-number': { to: `${inside.origin}/` },
      '/by-name': { to: `http://localhost:${new URL(inside.origin).port}/` },
      '/to-a-file': { to: 'file:///etc/passwd' },
      '/with-picture': {
        body: page(`<title>A page</title><meta property="og:image" content="${inside.origin}/">`),
      },
    }),
  )
  const { read } = createLinkPreviews(`on ${leading.host}`)
  for (const path of ['/by-number', '/by-name', '/to-a-file']) {
    expect(await read(`${leading.origin}${path}`, never())).toBeNull()
  }
  expect(await read(`${leading.origin}/with-picture`, never())).toEqual({ title: 'A page' })
  const given = [
    inside.origin,
    inside.origin.replace('127.0.0.1', '2130706433'),
    inside.origin.replace('127.0.0.1', '0x7f.1'),
    inside.origin.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    inside.origin.replace('127.0.0.1', 'localhost'),
    ...['http://127.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/'],
    ...['http://10.0.0.1/', 'http://192.168.0.1/', 'http://[fd00::1]/', 'http://0.0.0.0/'],
    ...['ftp://example.org/', 'file:///etc/passwd', 'http://name:word@example.org/', 'nonsense'],
  ]
  for (const url of given) expect(await read(url, never()), url).toBeNull()
  expect(inside.asked).toEqual([])
})

test('P8: a name whose name server leads it into a private network is not connected to', async () => {
  const inside = await startSite(serve({ '/': { body: harbour } }))
  const { createSocket } = await import('node:dgram')
  const questions: number[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port }) => {
    questions.push(question.length)
    const nameEnd = question.indexOf(0, 12)
    const isForFour = question.readUInt16BE(nameEnd + 1) === 1
    const head = Buffer.from(question.subarray(0, nameEnd + 5))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(isForFour ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 127, 0, 0, 1]
    socket.send(Uint8Array.from([...head, ...(isForFour ? record : [])]), port)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  const fetchBounded = createBoundedFetch({
    insideHosts: [],
    redirectsMax: 0,
    nameServers: [`127.0.0.1:${socket.address().port}`],
  })
  const wanted = { accept: ['text/html'], maxBytes: 1_000, takesBeginning: true, signal: never() }
  expect(await fetchBounded({ ...wanted, url: new URL('http://rebound.example/') })).toBeUndefined()
  expect(questions.length).toBeGreaterThan(0)
  expect(inside.asked).toEqual([])
})

test('what never ends, is too large, or leads round and round, is given up', async () => {
  const { pageMaxBytes, pictureMaxBytes, redirectsMax } = limits.linkPreview
  const site = await startSite((request, response) => {
    if (request.url === '/round') return void response.writeHead(302, { location: '/round' }).end()
    if (request.url === '/silent') return
    if (request.url === '/large.png') {
      response.writeHead(200, { 'content-type': 'image/png' })
      return void response.end(Buffer.alloc(pictureMaxBytes + 1))
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.write(page('<title>Long</title><meta property="og:image" content="/large.png">'))
    const more = () => {
      if (response.destroyed) return
      response.write(Buffer.alloc(64 * 1024, 0x20), () => setImmediate(more))
    }
    more()
  })
  const { read } = createLinkPreviews(`on ${site.host}`)
  expect(await read(`${site.origin}/endless`, never())).toEqual({ title: 'Long' })
  expect(await read(`${site.origin}/round`, never())).toBeNull()
  expect(site.asked.filter(({ url }) => url === '/round')).toHaveLength(redirectsMax + 1)
  const leaving = new AbortController()
  const silent = read(`${site.origin}/silent`, leaving.signal)
  await expect.poll(() => site.asked.some(({ url }) => url === '/silent')).toBe(true)
  leaving.abort()
  expect(await silent).toBeNull()
  expect(pageMaxBytes).toBeLessThan(pictureMaxBytes)
})

test.each([
  ['no title', '<meta name="description" content="words">', undefined],
  ['a picture instead of a page', undefined, undefined],
  ['a title in Windows-1252', '<meta charset="windows-1252"><title>Caf\u00e9</title>', 'Caf\u00e9'],
  ['signs that turn the text', '<title>a\u202eb&#8238;c\nd</title>', 'a b c d'],
  ['an open tag', '<title>Open</title><meta property="og:title" content="x', 'Open'],
])('a page with %s', (what, head, title) => {
  const bytes = Buffer.from(head ?? '\u0089PNG', what.includes('1252') ? 'latin1' : 'utf8')
  expect(readPage(bytes, 'text/html')?.title).toBe(title)
})

test('a page that was made to keep a reader busy is read at once', () => {
  const { pageMaxBytes } = limits.linkPreview
  for (const piece of ['<meta ', '<meta a=', '<title', '&#', '<meta content="', "<meta a='"]) {
    const bytes = Buffer.from(piece.repeat(pageMaxBytes / piece.length))
    expect(readPage(bytes, 'text/html')).toBeUndefined()
  }
})

test('the call is for people who are signed in, so often an hour for each; off, it finds nothing', async () => {
  const site = await startSite(serve({ '/': { body: page('<title>Here</title>') } }))
  const app = await startTestApp({ LINK_PREVIEWS: `on ${site.host}`, RATE_LIMIT: 'on' })
  onTestFinished(() => app.close())
  const { token } = await app.register('Ann')
  const ask = (body: unknown, as: { token?: string } = { token }) =>
    app.call('POST', '/api/links/preview', { ...as, body })
  const url = `${site.origin}/`
  expect((await ask({ url }, {})).status).toBe(401)
  expect((await ask({ url })).body).toEqual({ page: { title: 'Here' } })
  expect((await ask({ url: 'javascript:alert(1)' })).status).toBe(400)
  expect((await ask({ url: `http://${'a'.repeat(3_000)}` })).status).toBe(400)
  const { max } = limits.linkPreviewsPerPerson
  for (let count = 1; count < max; count += 1) await ask({ url: 'http://127.0.0.1/' })
  const refused = await ask({ url })
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(site.asked).toHaveLength(1)
  expect(await createLinkPreviews('off').read(url, never())).toBeNull()
})
