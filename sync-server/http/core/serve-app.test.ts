import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts'

const script = `console.log("${'Petrel '.repeat(500)}")`
const style = '.start { color: teal }'
const page = `<!doctype html><title>Petrel</title><style>${style}</style>`
const opened = {} as { app: TestApp; appDir: string }

beforeAll(async () => {
  opened.appDir = await mkdtemp(join(tmpdir(), 'petrel-built-'))
  await mkdir(join(opened.appDir, 'assets'))
  await writeFile(join(opened.appDir, 'index.html'), page)
  await writeFile(join(opened.appDir, 'sw.js'), 'self.skipWaiting')
  await writeFile(join(opened.appDir, 'manifest.webmanifest'), '{}')
  await writeFile(join(opened.appDir, 'assets', 'main-a1b2c3.js'), script)
  await writeFile(join(opened.appDir, 'icon-192.png'), 'png')
  for (const name of ['kept-a1.js', 'changed-b2.js']) {
    const path = join(opened.appDir, 'assets', name)
    await writeFile(path, script)
    await writeFile(`${path}.br`, new Uint8Array(brotliCompressSync('as it was built')))
    if (name.startsWith('changed')) await utimes(path, new Date(), new Date(Date.now() + 1000))
  }
  opened.app = await startTestApp({}, { appDir: opened.appDir })
})
afterAll(async () => {
  await opened.app.close()
  await rm(opened.appDir, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  opened.app.call('GET', path, { headers })
const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the built app', () => {
  it.each(['/', '/chat', '/chat/01890000-0000-7000-8000-0000000000ab', '/settings/help'])(
    'opens at %s, and is asked for again each time',
    async (path) => {
      for (const encoding of ['gzip', 'br', 'identity']) {
        const answer = await get(path, { ...asBrowser, 'accept-encoding': encoding })
        expect([answer.status, answer.text]).toEqual([200, page])
        expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
        expect(answer.headers.get('cache-control')).toBe('no-cache')
      }
    },
  )

  it('lets the page, and nothing else, use the styles in it', async () => {
    const hash = createHash('sha256').update(style).digest('base64')
    const readPolicy = async (path: string, encoding = 'br') =>
      (await get(path, { ...asBrowser, 'accept-encoding': encoding })).headers.get(
        'content-security-policy',
      )
    for (const path of ['/', '/chat', '/index.html']) {
      for (const encoding of ['br', 'identity']) {
        expect(await readPolicy(path, encoding)).toContain(`style-src 'self' 'sha256-${hash}';`)
      }
    }
    expect(await readPolicy('/assets/main-a1b2c3.js')).toContain("style-src 'self';")
  })

  it.each(['gzip', 'br', 'identity'])('keeps hashed files for ever (%s)', async (encoding) => {
    const answer = await get('/assets/main-a1b2c3.js', { 'accept-encoding': encoding })
    expect(answer.text).toBe(script)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
    expect(answer.headers.get('content-type')).toMatch(/javascript/)
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
  })

  it('is compressed by the build, unless a file was changed later', async () => {
    const read = async (name: string, encoding: string) =>
      (await get(`/assets/${name}`, { 'accept-encoding': encoding })).text
    expect(await read('kept-a1.js', 'br')).toBe('as it was built')
    expect(await read('kept-a1.js', 'gzip')).toBe(script)
    expect(await read('changed-b2.js', 'br')).toBe(script)
  })

  it.each(['/sw.js', '/manifest.webmanifest', '/icon-192.png'])(
    'lets %s be kept only as long as it is the newest',
    async (path) => {
      const answer = await get(path)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
      const etag = answer.headers.get('etag') ?? ''
      // Given this header, fetch itself asks for a fresh answer.
      const again = await get(path, { 'if-none-match': etag, 'cache-control': 'max-age=0' })
      expect(again.status).toBe(304)
    },
  )

  it.each(['/assets/gone.js', '/api/nothing', '/sync', '/favicon.ico'])(
    'has no page for %s',
    async (path) => {
      const answer = await get(path, asBrowser)
      expect([401, 404]).toContain(answer.status)
      expect(answer.body.error).toEqual(expect.any(String))
    },
  )

  it('gives nothing from outside of its folder', async () => {
    for (const path of ['/assets/..%2f..%2f..%2fetc/passwd', '/.env']) {
      expect([400, 403, 404]).toContain((await get(path)).status)
    }
  })
})
