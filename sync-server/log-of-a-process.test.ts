import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endProcess, nameDataDir, startServerProcess } from './testing/open-test-process.ts'

/** Starts the real server as a separate process, with its log going to `stdout`. */
async function startServer(stdout: number | 'pipe') {
  const env = { DURABILITY: 'relaxed' }
  return await startServerProcess({ dataDir: await nameDataDir(), env, stdout })
}

describe('P12: a server', () => {
  it('whose log is on a full disk serves on, and ends in order', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { child, ask } = await startServer(full)
    for (let count = 0; count < 200; count += 1) expect((await ask()).status).toBe(200)
    expect(await endProcess(child, 'SIGTERM')).toBe(0)
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
    const closed = once(child, 'close')
    expect(await endProcess(child, 'SIGTERM')).toBe(0)
    // The process is gone, and its last lines may still lie in the pipe.
    await closed
    expect(heard.join('')).toContain('"msg":"closed"')
  })

  it('whose log nobody reads to its end ends in order all the same', async () => {
    const { child, ask } = await startServer('pipe')
    const many = Array.from({ length: 40 }, (_, index) => index)
    for (let count = 0; count < 40; count += 1) await Promise.all(many.map(() => ask()))
    expect(await endProcess(child, 'SIGTERM')).toBe(0)
  })
})
