import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { makeTestCertificate } from './testing/make-test-certificate.ts'
import { startTestApp, type TestApp } from './testing/start-test-app.ts'

describe('with TLS_CERT and TLS_KEY', () => {
  const opened = {} as { folder: string; ca: string; app: TestApp }
  beforeAll(async () => {
    const { cert, key } = makeTestCertificate()
    const folder = await mkdtemp(join(tmpdir(), 'petrel-tls-'))
    await writeFile(join(folder, 'cert.pem'), cert)
    await writeFile(join(folder, 'key.pem'), key)
    const env = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
    const app = await startTestApp(env, { certificateEveryMs: 10 })
    Object.assign(opened, { folder, ca: cert, app })
  })
  afterAll(async () => {
    await opened.app.close()
    await rm(opened.folder, { recursive: true })
  })

  async function ask(path: string, body?: unknown) {
    const sent = request(`${opened.app.url}${path}`, {
      ca: opened.ca,
      // A connection of its own: kept ones were opened under an earlier certificate.
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, text: await text(response) }
  }

  it('answers over HTTPS, and tells browsers to stay there', async () => {
    expect(opened.app.url).toMatch(/^https:/)
    const { status, headers } = await ask('/healthz')
    expect(status).toBe(200)
    expect(headers['strict-transport-security']).toContain('max-age=')
    expect(headers['content-security-policy']).toContain(`wss://127.0.0.1:${opened.app.port}`)
  })

  it('opens sockets over TLS', async () => {
    const registered = await ask('/api/auth/register', {
      username: 'Ann',
      email: 'ann@example.org',
      password: 'Ann’s password',
    })
    const { token } = JSON.parse(registered.text)
    const url = opened.app.url.replace('https', 'wss')
    const socket = new WebSocket(url, ['petrel.v1', `bearer.${token}`], { ca: opened.ca })
    const [frame] = await once(socket, 'message')
    expect(JSON.parse(String(frame)).event).toBe('users-online')
    socket.close()
    await once(socket, 'close')
  })

  it('serves a renewed certificate from the next connection on, and never half of one', async () => {
    const before = opened.ca
    const socket = connect({ port: opened.app.port, host: '127.0.0.1', ca: before })
    await once(socket, 'secureConnect')
    const renewed = makeTestCertificate()
    // A renewal writes one file after the other: until both fit, the one before is served.
    await writeFile(join(opened.folder, 'key.pem'), renewed.key)
    expect((await ask('/healthz')).status).toBe(200)
    await writeFile(join(opened.folder, 'cert.pem'), renewed.cert)
    opened.ca = renewed.cert
    await expect.poll(() => ask('/healthz').then(({ status }) => status, String)).toBe(200)
    opened.ca = before
    await expect(ask('/healthz')).rejects.toThrow('certificate')
    opened.ca = renewed.cert
    // Connections that are open stay so.
    expect(socket.closed).toBe(false)
    socket.destroy()

    await writeFile(join(opened.folder, 'cert.pem'), 'no certificate')
    await rm(join(opened.folder, 'key.pem'))
    expect((await ask('/healthz')).status).toBe(200)
  })

  it('answers nothing over plain HTTP', async () => {
    await expect(fetch(`http://127.0.0.1:${opened.app.port}/healthz`)).rejects.toThrow()
  })
})

describe('TRUST_PROXY', () => {
  /** The answer to an eleventh wrong password, from another address than the first ten. */
  async function guessFromTwoAddresses(env: Record<string, string>) {
    const app = await startTestApp({ RATE_LIMIT: 'on', ...env })
    const { username } = await app.register('Ann')
    const guess = async (address: string) => {
      const headers = { 'x-forwarded-for': `198.51.100.99, ${address}` }
      const body = { username, password: 'a guess' }
      return (await app.call('POST', '/api/auth/login', { body, headers })).status
    }
    const tries = Array.from({ length: 10 }, () => guess('203.0.113.1'))
    expect(await Promise.all(tries)).toEqual(Array(10).fill(401))
    const answers = { same: await guess('203.0.113.1'), other: await guess('203.0.113.2') }
    await app.close()
    return answers
  }

  it('0: believes nobody who says that a request comes from elsewhere', async () => {
    expect(await guessFromTwoAddresses({})).toEqual({ same: 429, other: 429 })
  })

  it('1: takes the address that the one proxy has seen', async () => {
    expect(await guessFromTwoAddresses({ TRUST_PROXY: '1' })).toEqual({ same: 429, other: 401 })
  })

  it('1: knows from the proxy whether a page was opened over HTTPS', async () => {
    const app = await startTestApp({ TRUST_PROXY: '1' })
    const headers = { 'x-forwarded-proto': 'https' }
    const answer = await app.call('GET', '/healthz', { headers })
    expect(answer.headers.get('content-security-policy')).toContain(`wss://127.0.0.1:${app.port}`)
    await app.close()
  })
})
