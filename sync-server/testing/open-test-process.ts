import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { buildIfNeeded } from '../../.run/build.mjs'
import { serverOptions } from '../../.run/project.mjs'
import { findFreePort } from '../lib/testing/find-free-port.ts'

const main = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
const startsWithin = { timeout: 90_000 }

/** For tests: a missing folder, inside one that is removed after the test. */
export async function nameDataDir(): Promise<string> {
  const outer = await mkdtemp(join(tmpdir(), 'petrel-process-'))
  onTestFinished(() => rm(outer, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return join(outer, 'data')
}

/** For tests: Node's arguments for the built server, which starts in a fraction of its sources' time. */
export async function buildServer(): Promise<string[]> {
  await buildIfNeeded(['server'])
  return [...serverOptions, main]
}

/**
 * For tests: the program as an operator starts it, where files are world-readable unless it says
 * otherwise.
 */
export async function spawnServer(options: {
  dataDir: string
  env?: Record<string, string>
  stdout?: number | 'pipe' | 'ignore'
  /** What stands behind the program's name. */
  words?: readonly string[]
}) {
  const { dataDir, env = {}, stdout = 'ignore', words = [] } = options
  const args = [...(await buildServer()), ...words].map((arg) => `"${arg}"`).join(' ')
  const port = await findFreePort()
  const started = `umask 0; exec "${process.execPath}" ${args}`
  const child = spawn('sh', ['-c', started], {
    env: { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT: 'off', ...env },
    stdio: ['ignore', stdout, 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const complaints: string[] = []
  child.stderr?.on('data', (text) => complaints.push(String(text)))
  return { child, url: `http://127.0.0.1:${port}`, complaints: () => complaints.join('') }
}

/** For tests: the same, once it answers. */
export async function startServerProcess(options: Parameters<typeof spawnServer>[0]) {
  const spawned = await spawnServer(options)
  const { child, url, complaints } = spawned
  const ask = (path = '/healthz') => fetch(`${url}${path}`)
  const isUp = () => ask().then(({ ok }) => ok, hasEnded)
  function hasEnded() {
    if (child.exitCode !== null) throw new Error(`The server ended: ${complaints()}`)
    return false
  }
  await expect.poll(isUp, startsWithin).toBe(true)
  return { ...spawned, ask }
}

/** For tests: waits until it has ended by itself, and all that it said is read. Returns its exit code. */
export async function untilEnded(child: ChildProcess) {
  // Whether the last words or the exit come first is up to the system; only this comes after both.
  const closed = once(child, 'close')
  child.stdout?.resume()
  const [code] = await closed
  return code as number | null
}

/** @returns its exit code; what it said last may still be on its way */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals) {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = await ended
  return code as number | null
}
