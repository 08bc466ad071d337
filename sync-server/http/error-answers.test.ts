import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestRequest } from '../testing/open-test-request.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const opened = {} as { app: TestApp; ann: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
})
afterAll(() => opened.app.close())

/** Unreadable bodies of every kind. */
const unreadable: [string, Record<string, string>, string | Buffer][] = [
  ['broken JSON', {}, '{"__secret__": nonsense'],
  ['nothing but a sign', {}, '\u0000'],
  ['an unknown charset', { 'content-type': 'application/json; charset=__secret__' }, '{}'],
  ['an unknown packing', { 'content-encoding': '__secret__' }, '{}'],
  ['broken packing', { 'content-encoding': 'gzip' }, '__secret__'],
  ['packing that breaks off', { 'content-encoding': 'gzip' }, gzipSync('{}').subarray(0, 12)],
  ['too much', {}, `"${'x'.repeat(9_000_000)}"`],
  ['packed too much', { 'content-encoding': 'gzip' }, gzipSync(`"${'x'.repeat(9_000_000)}"`)],
  ['another kind', { 'content-type': 'text/html' }, '<html>'],
]

const addresses: [string, string][] = [
  ['POST', '/api/messages'],
  ['PUT', '/api/users/settings'],
  ['POST', '/sync/messages/_bulk_docs'],
  ['PUT', '/sync/messages/_local/x'],
  ['POST', '/poll'],
]

/** Names of files, folders and functions, and parts of the request. */
const innards = /node_modules|sync-server|body-parser|\.(ts|js|mjs)\b|\n {4}at |__secret__|zlib/

async function send(method: string, path: string, headers: object, body: string | Buffer) {
  const response = await fetch(`${opened.app.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${opened.ann.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return { status: response.status, text: await response.text() }
}

describe.each(addresses)('%s %s', (method, path) => {
  it.each(unreadable)('tells of %s in words, and nothing of its insides', async (...given) => {
    const [, headers, body] = given
    const { status, text } = await send(method, path, headers, body)
    expect([400, 413, 415]).toContain(status)
    expect(text).not.toMatch(innards)
    const told = JSON.parse(text)
    expect(told.reason ?? told.error).toMatch(/ /)
  })
})

describe('addresses that cannot be read', () => {
  it.each([
    '/api/users/%E0%A4%A',
    '/sync/messages/%E0%A4%A',
    '/%E0%A4%A',
    '/assets/%00',
    '/a%2f..',
  ])('%s', async (path) => {
    const { token } = opened.ann
    const asked = await openTestRequest({
      port: opened.app.port,
      path,
      token,
      headers: { connection: 'close' },
    })
    const { status, text } = await asked.closed
    expect([400, 404]).toContain(status)
    expect(text).not.toMatch(innards)
    expect(text).toContain('application/json')
  })
})
