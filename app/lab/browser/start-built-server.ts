import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverOptions } from '../../../.run/project.mjs'
import { findFreePort } from '../../../sync-server/lib/testing/find-free-port.ts'
import { waitUntil } from './wait-until.ts'

const builtFolder = fileURLToPath(new URL('../../../dist', import.meta.url))

export interface BuiltServer {
  port: number
  origin: string
  dataDir: string
  /** Simulates a power failure: no clean exit, no last write. */
  kill(): Promise<void>
  /**
   * Restarts on the same port and data; resolves when it answers.
   * @param other settings for this start only
   */
  start(other?: Record<string, string>): Promise<void>
  /** Its output so far. */
  output(): string
  /** Stops it cleanly and deletes its data. */
  close(): Promise<void>
}

/**
 * The built server in its own process, on a free port, with its data in a temporary folder.
 * @param dist the folder that holds the built `server` and `app`
 * @param niceness 1 to 19 to leave the processor to others, as a server on another machine would
 */
export async function startBuiltServer({
  env = {},
  dist = builtFolder,
  niceness = 0,
}: {
  /** With its address where a setting needs it. */
  env?: Record<string, string> | ((origin: string) => Record<string, string>)
  dist?: string
  niceness?: number
} = {}): Promise<BuiltServer> {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-e2e-'))
  const printed: string[] = []
  let child: ChildProcess | undefined

  async function start(other: Record<string, string> = {}) {
    child = spawn(process.execPath, [...serverOptions, join(dist, 'server', 'main.js')], {
      env: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: dataDir,
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'warn',
        ...(typeof env === 'function' ? env(origin) : env),
        ...other,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined && niceness > 0) setPriority(child.pid, niceness)
    child.stdout?.on('data', (text) => printed.push(String(text)))
    child.stderr?.on('data', (text) => printed.push(String(text)))
    // An interrupted test run leaves no server behind.
    process.once('exit', () => child?.kill('SIGKILL'))
    await waitUntil('the server answers', () => isAnswering(), 60_000)
  }

  async function isAnswering() {
    if (child?.exitCode !== null) throw new Error(`The server ended:\n${printed.join('')}`)
    return fetch(`${origin}/healthz`).then(
      (response) => response.ok,
      () => false,
    )
  }

  async function end(signal: NodeJS.Signals) {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  await start()
  return {
    port,
    origin,
    dataDir,
    start,
    kill: () => end('SIGKILL'),
    output: () => printed.join(''),
    async close() {
      await end('SIGTERM')
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
