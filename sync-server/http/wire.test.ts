import { once } from 'node:events'
import { v7 as createId } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { apiErrors } from '../../schema/api/api-error.ts'
import { bearerProtocolPrefix, socketProtocol } from '../../schema/api/socket-events.ts'
import { wireHeader, wireProtocolPrefix, wireVersion } from '../../schema/api/wire.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  const app = await startTestApp()
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  Object.assign(opened, { app, ann, ben })
})
afterAll(() => opened.app.close())

const older = { [wireHeader]: String(wireVersion - 1) }
const newer = { [wireHeader]: String(wireVersion + 1) }
const equal = { [wireHeader]: String(wireVersion) }

function write() {
  return { recipientId: opened.ben.userId, content: 'hello', _id: createId() }
}

/** A read and a write through each door. */
const calls = [
  ['GET', '/api/users/me'],
  ['POST', '/api/messages'],
  ['GET', '/sync/messages/_changes'],
  ['POST', '/sync/messages/_bulk_docs'],
  ['GET', '/sync/'],
  ['POST', '/poll'],
] as const

describe.each(calls)('%s %s', (method, path) => {
  function call(headers: Record<string, string>, given: { token?: string } = opened.ann) {
    const body = path.startsWith('/sync')
      ? { docs: [] }
      : path === '/poll'
        ? { poller: createId(), events: [{ event: 'user-online' }] }
        : write()
    const { token } = given
    return opened.app.call(method, path, {
      headers,
      ...(token !== undefined && { token }),
      ...(method === 'POST' && { body }),
    })
  }

  it('refuses an app that is too old, with words for a person, signed in or not', async () => {
    for (const person of [opened.ann, {}]) {
      const { status, body, headers } = await call(older, person)
      expect(status).toBe(426)
      expect(body).toEqual(
        path.startsWith('/sync')
          ? { error: 'app_outdated', reason: apiErrors.app_outdated.error }
          : { code: 'app_outdated', error: apiErrors.app_outdated.error },
      )
      expect(headers.get(wireHeader)).toBe(String(wireVersion))
    }
  })

  it('asks an app that is too new to wait, as for a server that is away', async () => {
    const { status, text, headers } = await call(newer)
    expect(status).toBe(503)
    expect(text).toContain(apiErrors.server_outdated.error)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('serves an app of its own version, and whoever tells none', async () => {
    for (const headers of [equal, {}, { [wireHeader]: 'curl' }]) {
      const answer = await call(headers)
      expect(answer.status).toBeLessThan(300)
      expect(answer.headers.get(wireHeader)).toBe(String(wireVersion))
    }
  })
})

describe('an app that is too old', () => {
  it('has nothing stored of what it says', async () => {
    const { app, ann } = opened
    const message = { ...write(), content: 'too early' }
    await app.call('POST', '/api/messages', { token: ann.token, body: message, headers: older })
    const { text } = await app.call('GET', `/sync/messages/_all_docs?include_docs=true`, ann)
    expect(text).not.toContain('too early')
  })

  it('learns no more than others of what there is: no address differs', async () => {
    for (const path of ['/api/users/nobody', '/api/nothing', '/sync/accounts/', '/poll/x']) {
      const { status } = await opened.app.call('GET', path, { headers: older })
      expect([path, status]).toEqual([path, 426])
    }
  })

  it('gets the page and its parts all the same, or it could never be updated', async () => {
    for (const path of ['/healthz', '/readyz', '/']) {
      const { status } = await opened.app.call('GET', path, { headers: older })
      expect([path, status]).not.toEqual([path, 426])
    }
  })
})

it('checks the sign-in before it says what exists, as before', async () => {
  for (const headers of [equal, {}]) {
    for (const path of ['/api/users/nobody', '/sync/accounts/']) {
      expect((await opened.app.call('GET', path, { headers })).status).toBe(401)
    }
  }
})

describe('a socket', () => {
  const open = (...words: string[]) =>
    new WebSocket(opened.app.url.replace('http', 'ws'), [
      socketProtocol,
      ...words,
      `${bearerProtocolPrefix}${opened.ann.token}`,
    ])

  it('opens for an app of the same version, and for one that tells none', async () => {
    for (const words of [[`${wireProtocolPrefix}${wireVersion}`], []]) {
      const socket = open(...words)
      await once(socket, 'open')
      socket.close()
    }
  })

  it.each([
    [wireVersion - 1, 426],
    [wireVersion + 1, 503],
  ])('opens for none of version %i: the handshake is answered with %i', async (version, status) => {
    const socket = open(`${wireProtocolPrefix}${version}`)
    const [, answer] = await once(socket, 'unexpected-response', {
      signal: AbortSignal.timeout(5_000),
    })
    expect(answer.statusCode).toBe(status)
    socket.on('error', () => undefined).terminate()
  })
})
