import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from './lib/testing/find-free-port.ts'
import { startLikeCouch } from './testing/couch/start-like-couch.ts'
import { startLosingProxy } from './testing/couch/start-losing-proxy.ts'
import { buildServer } from './testing/open-test-process.ts'

const running = {} as Awaited<ReturnType<typeof startLikeCouch>>
beforeAll(async () => {
  Object.assign(running, await startLikeCouch())
})
afterAll(() => running.close())

/** Starts the real server as a separate process. */
async function startServer(couchdbUrl: string) {
  const args = await buildServer()
  const port = await findFreePort()
  const child = spawn(process.execPath, args, {
    env: {
      PORT: String(port),
      COUCHDB_URL: couchdbUrl,
      RATE_LIMIT: 'off',
      JWT_SECRET: 'a secret of the test, long enough',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => printed.push(part))
  }
  // Only then all that it printed is read.
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  return { child, ended, url, read: () => printed.join('') }
}

const isAnswered = (path: string) =>
  fetch(path).then(
    ({ ok }) => ok,
    () => false,
  )

describe('a server', () => {
  it('P12: whose CouchDB has gone silent says that it is not ready, and ends in order', async () => {
    const proxy = await startLosingProxy(running.url)
    onTestFinished(proxy.close)
    const { child, ended, url, read } = await startServer(proxy.url)
    await expect.poll(() => isAnswered(`${url}/readyz`), { timeout: 90_000 }).toBe(true)

    proxy.silence(/./)
    const body = JSON.stringify({
      username: 'Ann',
      email: 'ann@example.org',
      password: 'secretive',
    })
    const headers = { 'content-type': 'application/json' }
    const registering = fetch(`${url}/api/auth/register`, { method: 'POST', headers, body })
    const cutOff = registering.then(
      ({ status }) => status,
      () => 503,
    )
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 })
      .toBe(503)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await cutOff).toBe(503)
    expect(read()).not.toContain(encodeURIComponent(running.login.password))
  })

  it('that gets its login refused ends at once, with one sentence, and is not to be started again', async () => {
    const couchdbUrl = running.urlFor({ ...running.login, password: 'gess' })
    const { ended, read } = await startServer(couchdbUrl)
    expect(await ended).toEqual([78, null])
    expect(read()).toBe(
      'Petrel cannot run:\nCouchDB refuses the login: Name or password is incorrect. Set COUCHDB_URL to a name and a password that it takes.\n',
    )
    expect(running.countWrongPasswords()).toBe(1)
  })
})
