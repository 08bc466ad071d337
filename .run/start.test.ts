import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '../app/lab/browser/wait-until.ts'
import { findFreePort } from '../sync-server/lib/testing/find-free-port.ts'
import { serverOptions, top } from './project.mjs'

test('npm start serves the app, builds nothing when nothing changed, and ends in order', async () => {
  await useStart((origin) => expectPage(origin))
  const built = await readBuildTimes()
  await useStart((origin) => expectPage(origin))
  expect(await readBuildTimes()).toEqual(built)
}, 240_000)

test('npm start gives the server the options of Node that tests and benches give it', async () => {
  const manifest = await readFile(`${top}package.json`, 'utf8')
  expect(manifest).toContain(`node ${serverOptions.join(' ')} .run/start.mjs`)
})

async function useStart(use: (origin: string) => Promise<void>) {
  const port = await findFreePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-start-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const child = spawn(process.execPath, [...serverOptions, '.run/start.mjs'], {
    cwd: top,
    env: { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'inherit',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const origin = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${origin}/healthz`).then(
      (response) => response.ok,
      () => false,
    )
  await waitUntil('it answers /healthz', isUp, 90_000)
  await use(origin)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}

async function expectPage(origin: string) {
  const page = await fetch(`${origin}/chat`, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>Petrel</title>')
}

async function readBuildTimes() {
  const parts = ['app/index.html', 'server/main.js'].map((file) => stat(`${top}dist/${file}`))
  return (await Promise.all(parts)).map(({ mtimeMs }) => mtimeMs)
}
