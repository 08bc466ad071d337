import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '../find-free-port.ts'

const startTimeoutMs = 60_000

/** For tests: pouchdb-server as the CouchDB at hand, in a process of its own, its data in memory. */
export async function startCouch() {
  const manifest = createRequire(import.meta.url).resolve('pouchdb-server/package.json')
  const program = join(dirname(manifest), 'bin', 'pouchdb-server')
  const folder = await mkdtemp(join(tmpdir(), 'petrel-couch-'))
  const port = await findFreePort()
  const flags = ['--in-memory', '--no-stdout-logs', '--port', String(port), '--host', '127.0.0.1']
  const server = spawn(process.execPath, [program, ...flags], { cwd: folder, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const url = `http://127.0.0.1:${port}/`
  await waitUntilUp(url)

  return {
    url,
    async close() {
      server.kill('SIGKILL')
      await ended
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
