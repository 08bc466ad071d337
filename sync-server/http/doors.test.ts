import { request as httpRequest } from 'node:http'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { measureJson } from './core/json-reader.ts'
import { defineRoute } from './core/route.ts'
import { mountRoutes } from './mount-routes.ts'

const opened = {} as { app: TestApp; ann: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
})
afterAll(() => opened.app.close())

describe('routes', () => {
  it('cannot be served without an access rule, or twice', () => {
    const route = defineRoute({
      method: 'get',
      path: '/things',
      access: 'anyone',
      summary: 'Things.',
      status: 200,
      answer: z.array(z.string()),
      handle: async () => [],
    })
    const accessCheck = { requireCaller: () => undefined } as never
    const doorman = { admit: () => undefined, takeBody: () => () => undefined }
    const mount = (routes: never) =>
      mountRoutes({ routes, accessCheck, doorman, checkAnswers: true })
    expect(() => mount([{ ...route, access: undefined }] as never)).toThrow(/no access rule/)
    expect(() => mount([route, route] as never)).toThrow(/declared twice/)
    expect(() => mount([route] as never)).not.toThrow()
  })
})

describe('P8: tokens', () => {
  const forge = (options: jwt.SignOptions, key = '') =>
    jwt.sign({ sub: opened.ann.userId, sid: 'x' }, key, { expiresIn: 60, ...options })
  const doors = ['/api/users/me', '/api/users', '/sync/messages/', '/sync/conversations/_changes']

  it.each(doors)('%s opens to nobody without one', async (path) => {
    for (const headers of [{}, { authorization: 'Bearer' }, { authorization: 'Basic YTpi' }]) {
      const answer = await opened.app.call('GET', path, { headers: headers as never })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(doors)('%s opens to no forged one', async (path) => {
    const ours = { issuer: 'petrel', audience: 'petrel' }
    const forged = [
      forge({ algorithm: 'none', ...ours }),
      forge({ algorithm: 'HS256', ...ours }, 'a guessed secret that is long enough'),
      `${opened.ann.token}x`,
      opened.ann.token.split('.').slice(0, 2).join('.').concat('.'),
    ]
    for (const token of forged) {
      expect((await opened.app.call('GET', path, { token })).status).toBe(401)
    }
  })
})

describe('bodies', () => {
  const post = (text: string, headers = {}) =>
    opened.app.call('POST', '/api/auth/login', { text, headers })

  it.each([
    ['not JSON', '{"username":', 400, 'not_json'],
    ['nothing', '', 400, 'invalid_input'],
    [
      'deep nesting',
      `{"username":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      400,
      'nested_too_deeply',
    ],
    ['many values', `{"username":[${'{},'.repeat(1_000)}{}]}`, 413, 'too_large'],
    ['five megabytes', JSON.stringify({ username: 'x'.repeat(5_000_000) }), 413, 'too_large'],
    ['a prototype', '{"__proto__":{"username":"ann","password":"x"}}', 400, 'invalid_input'],
    ['a number', '7', 400, 'invalid_input'],
  ])('of %s end in an error with words', async (_what, text, status, code) => {
    const answer = await post(text)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.error).toEqual(expect.any(String))
  })

  it('of another kind are refused by name', async () => {
    const answer = await post('username=ann', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([answer.status, answer.body.code]).toEqual([415, 'json_required'])
    const packed = await post('{}', { 'content-encoding': 'gzip' })
    expect(packed.status).toBe(400)
  })

  it('that are empty change nothing', async () => {
    const { token } = opened.ann
    await opened.app.call('PUT', '/api/users/settings', { token, body: { theme: 'dark' } })
    const headers = { 'content-length': '0', 'content-type': 'application/json' }
    const answer = await opened.app.call('PUT', '/api/users/settings', { token, text: '', headers })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
    const { body } = await opened.app.call('GET', '/api/users/me', { token })
    expect(body.settings).toEqual({ theme: 'dark' })
  })

  it('are not even read before the token is checked', async () => {
    const answer = await opened.app.call('PUT', '/api/users/profile', { text: '{"a' })
    expect(answer.status).toBe(401)
  })

  it('are measured by their brackets outside of strings', () => {
    expect(measureJson(Buffer.from('{"a":[1,{"b":"[[,[[\\"[["}],"c":2}'))).toEqual({
      depth: 3,
      values: 6,
    })
    expect(measureJson(Buffer.from(']]]][[]]')).depth).toBe(0)
  })
})

describe('addresses', () => {
  it.each([
    '/api/nothing',
    '/api',
    '/healthz/x',
    '/api/../secret',
    '/..%2f..%2fetc/passwd',
    '/api/users/%E0%A4%A',
  ])('%s: nothing there, or not readable, never a crash', async (path) => {
    const status = await rawStatus(opened.app.port, path)
    expect([400, 401, 404]).toContain(status)
  })

  it('say which methods they take', async () => {
    const answer = await opened.app.call('DELETE', '/api/auth/login')
    expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe('POST')
    expect((await opened.app.call('HEAD', '/healthz')).status).toBe(200)
  })
})

describe('answers', () => {
  it('are short where they are data of /sync, and keep browsers in all the same', async () => {
    for (const token of [opened.ann.token, 'forged']) {
      const { headers } = await opened.app.call('GET', '/sync/messages/', { token })
      expect(Number(headers.get('x-petrel-now'))).toBeGreaterThan(1.6e12)
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      })
      const text = [...headers].map(([name, value]) => `${name}: ${value}`).join('\r\n')
      expect(text.length).toBeLessThan(600)
    }
  })

  it('carry the clock, an id and headers that keep browsers in', async () => {
    const { headers } = await opened.app.call('GET', '/api/users/me', {
      token: opened.ann.token,
      headers: { 'x-request-id': 'from-the-proxy' },
    })
    expect(Number(headers.get('x-petrel-now'))).toBeGreaterThan(1.6e12)
    expect(headers.get('x-request-id')).toBe('from-the-proxy')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('strict-transport-security')).toBeNull()
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${opened.app.port}`)
    // WebAssembly alone, which derives passwords: no script as text.
    expect(policy.replace("'wasm-unsafe-eval'", '')).not.toContain('unsafe')
    expect(headers.get('permissions-policy')).toContain('camera=(self)')
  })

  it('make up an id where the given one could forge a log line', async () => {
    const { headers } = await opened.app.call('GET', '/healthz', {
      headers: { 'x-request-id': 'a "forged" one' },
    })
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  })

  it('tell that the server lives, and that it can store', async () => {
    expect((await opened.app.call('GET', '/healthz')).body).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    expect((await opened.app.call('GET', '/readyz')).body).toEqual({ status: 'ok' })
  })
})

/** fetch would tidy the path away. */
function rawStatus(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
