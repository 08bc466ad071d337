import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '../../lib/find-free-port.ts'

const startTimeoutMs = 60_000

export interface TestCouch {
  url: string
  folder: string
  /** Kills it. */
  stop(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Ends with whoever holds the other end of its input, however that dies, and leaves nothing. */
const endWithParent = `process.stdin.resume().on('end', () => {
  require('fs').rmSync(process.cwd(), { recursive: true, force: true })
  process.exit()
})`

/** Servers in memory whose tests have ended: a start takes two seconds of processor time. */
const spare: TestCouch[] = []

/**
 * For tests: a pouchdb-server without databases, in a separate process.
 * @param options.isOnDisk stores its data in `folder`; by default in memory
 */
export async function startCouch({ isOnDisk = false } = {}): Promise<TestCouch> {
  const found = isOnDisk ? undefined : spare.pop()
  if (!found) return await startNewCouch({ isOnDisk })
  await removeDatabases(found.url)
  return found
}

async function startNewCouch({ isOnDisk }: { isOnDisk: boolean }): Promise<TestCouch> {
  const program = createRequire(import.meta.url).resolve('pouchdb-server')
  const folder = await mkdtemp(join(tmpdir(), 'petrel-couch-'))
  const port = await findFreePort()
  const flags = [
    ...(isOnDisk ? ['--dir', folder] : ['--in-memory']),
    '--no-stdout-logs',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
  ]
  const url = `http://127.0.0.1:${port}/`
  const running = { stop: await start(), wasStopped: false }

  async function start() {
    const code = `${endWithParent}; require(${JSON.stringify(program)})`
    const server = spawn(process.execPath, ['--eval', code, '--', program, ...flags], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = once(server, 'exit')
    await waitUntilUp(url)
    return async () => {
      server.kill('SIGKILL')
      await ended
    }
  }

  const couch: TestCouch = {
    url,
    folder,
    async stop() {
      running.wasStopped = true
      await running.stop()
    },
    async start() {
      running.stop = await start()
    },
    async close() {
      if (!isOnDisk && !running.wasStopped) return void spare.push(couch)
      await running.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return couch
}

/** Its own, such as `_replicator`, stay. */
async function removeDatabases(url: string) {
  const names = (await (await fetch(`${url}_all_dbs`)).json()) as string[]
  for (const name of names.filter((one) => !one.startsWith('_'))) {
    await fetch(url + encodeURIComponent(name), { method: 'DELETE' })
  }
}

async function waitUntilUp(url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const isUp = await fetch(url)
      .then((response) => response.ok)
      .catch(() => false)
    if (isUp) return
    if (Date.now() > deadline) throw new Error(`no CouchDB answers at ${url}`)
    await wait(50)
  }
}
