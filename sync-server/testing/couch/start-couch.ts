import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '../../lib/testing/find-free-port.ts'

const startTimeoutMs = 60_000

export type TestCouch = Awaited<ReturnType<typeof startCouch>>

/**
 * For tests: starts pouchdb-server as a separate process.
 * @param options.isOnDisk stores its data in `folder`; by default in memory
 */
export async function startCouch({ isOnDisk = false } = {}) {
  const manifest = createRequire(import.meta.url).resolve('pouchdb-server/package.json')
  const program = join(dirname(manifest), 'bin', 'pouchdb-server')
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
  const running = { stop: await start() }

  async function start() {
    const server = spawn(process.execPath, [program, ...flags], { cwd: folder, stdio: 'ignore' })
    const ended = once(server, 'exit')
    await waitUntilUp(url)
    return async () => {
      server.kill('SIGKILL')
      await ended
    }
  }

  return {
    url,
    folder,
    stop: () => running.stop(),
    async start() {
      running.stop = await start()
    },
    async close() {
      await running.stop()
      await rm(folder, { recursive: true, force: true })
    },
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
