import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../lib/log.ts'
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts'

const logged: string[] = []
const opened = {} as { app: TestApp }
beforeAll(async () => {
  const log = createLog('debug', { write: (line: string) => void logged.push(line) } as never)
  opened.app = await startTestApp({}, { log })
})
afterAll(() => opened.app.close())

function share(bytes: Uint8Array<ArrayBuffer>) {
  const body = new FormData()
  body.append('title', 'a secret title')
  body.append('text', 'a secret text')
  body.append('files', new File([bytes], 'secret.bin'))
  return fetch(`${opened.app.url}/share`, { method: 'POST', body, redirect: 'manual' })
}

describe('P6: what is shared before a service worker can take it', () => {
  it.each([
    ['small', 1_000],
    ['large', 8 * 1024 * 1024],
  ])('leads to words about it, and says nothing of what it was (%s)', async (_size, length) => {
    const answer = await share(new Uint8Array(length))
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/share?problem=not-received')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    await expect.poll(() => logged.join('')).toContain('"route":"/share"')
    expect(logged.join('') + (await answer.text())).not.toContain('secret')
  })

  it('leaves the connection usable for the next request', async () => {
    await share(new Uint8Array(1_000))
    expect((await opened.app.call('GET', '/healthz')).status).toBe(200)
  })
})
