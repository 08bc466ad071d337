import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from './find-free-port.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/** The real server as a process of its own, whose log goes where it is told to. */
async function startServer(stdout: number | 'pipe') {
  const port = await findFreePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-log-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env: { PORT: String(port), DATA_DIR: dataDir, DURABILITY: 'relaxed' },
    stdio: ['ignore', stdout, 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ask = (path = '/healthz') => fetch(`http://127.0.0.1:${port}${path}`)
  const isUp = () =>
    ask().then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isUp, { timeout: 90_000 }).toBe(true)
  return { child, ask }
}

async function stop(child: ChildProcess) {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  return code
}

describe('P12: a server', () => {
  it('whose log is on a full disk serves on, and ends in order', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { child, ask } = await startServer(full)
    for (let count = 0; count < 200; count += 1) expect((await ask()).status).toBe(200)
    expect(await stop(child)).toBe(0)
  })

  it('whose log nobody reads serves on, and tells its lines to who comes late', async () => {
    const { child, ask } = await startServer('pipe')
    // More lines than any pipe holds.
    const many = Array.from({ length: 40 }, (_, index) => index)
    for (let count = 0; count < 100; count += 1) {
      const answers = await Promise.all(many.map(() => ask()))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    }
    const text = await (await ask('/metrics')).text()
    expect(text).toMatch(/^petrel_log_lines_lost_total \d+$/m)
    const heard: string[] = []
    child.stdout?.setEncoding('utf8').on('data', (part: string) => heard.push(part))
    await expect.poll(() => heard.join('')).toContain('"/metrics"')
    expect(heard.join('').split('"/healthz"').length).toBeGreaterThan(3_000)
    expect(await stop(child)).toBe(0)
    expect(heard.join('')).toContain('"msg":"closed"')
  })

  it('whose log nobody reads to its end ends in order all the same', async () => {
    const { child, ask } = await startServer('pipe')
    const many = Array.from({ length: 40 }, (_, index) => index)
    for (let count = 0; count < 40; count += 1) await Promise.all(many.map(() => ask()))
    expect(await stop(child)).toBe(0)
  })
})
