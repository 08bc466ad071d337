import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '../app/lab/browser/wait-until.ts'
import { findFreePort } from '../sync-server/lib/testing/find-free-port.ts'
import { top } from './project.mjs'

test('npm run dev serves the page and its sources, and hands on what is the server’s', async () => {
  const origin = await startDev()
  const read = async (path: string) => {
    const answer = await fetch(origin + path)
    expect([path, answer.status]).toEqual([path, 200])
    return { type: answer.headers.get('content-type'), text: await answer.text() }
  }
  expect((await read('/')).text).toContain('/@vite/client')
  // These folders of the app are called like addresses of the server.
  for (const path of ['/main.tsx', '/api/api.ts', '/api/api.ts?t=1', '/sync/messenger.ts']) {
    const { type, text } = await read(path)
    expect([path, type]).toEqual([path, expect.stringContaining('javascript')])
    expect(text).toContain('import ')
  }
  expect((await read('/healthz')).type).toContain('application/json')
  expect(JSON.parse((await read('/api/openapi.json')).text)).toHaveProperty('openapi')
  // So is a folder of the app; the server has a word of its own for who is not signed in.
  expect((await fetch(`${origin}/sync/people`)).status).toBe(401)
})

async function startDev(): Promise<string> {
  const [port, appPort] = [await findFreePort(), await findFreePort()]
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-dev-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const child = spawn(
    process.execPath,
    ['.run/dev.mjs', '--port', String(appPort), '--strictPort', '--logLevel', 'warn'],
    {
      cwd: top,
      env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
      stdio: 'inherit',
    },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const origin = `http://127.0.0.1:${appPort}`
  const isUp = async (url: string) => {
    const answer = await fetch(url).catch(() => undefined)
    return answer?.ok ?? false
  }
  // Through Vite only then: it logs each request that the server is not there for yet.
  await waitUntil('the server answers', () => isUp(`http://127.0.0.1:${port}/healthz`), 90_000)
  await waitUntil('the page is there', () => isUp(`${origin}/`), 90_000)
  return origin
}
