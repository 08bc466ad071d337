import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import PouchDB from 'pouchdb'
import { findFreePort } from '../../../../sync-server/lib/testing/find-free-port.ts'
import { waitUntil } from '../../browser/wait-until.ts'

const manifest = createRequire(import.meta.url).resolve('pouchdb-server/package.json')

const program = join(dirname(manifest), 'bin', 'pouchdb-server')

/**
 * The floor of replication: from a put in one PouchDB until another has it, both replicating live
 * with a stock pouchdb-server. In ms, one per round.
 */
export async function measurePouchPair(rounds: number): Promise<number[]> {
  const server = await startPouchServer()
  const folder = await mkdtemp(join(tmpdir(), 'petrel-pouch-pair-'))
  await fetch(`${server.origin}/shared`, { method: 'PUT' })
  const writer = new PouchDB(join(folder, 'writer'))
  const reader = new PouchDB(join(folder, 'reader'))
  const live = { live: true, retry: true }
  const push = writer.replicate.to(`${server.origin}/shared`, live)
  const pull = reader.replicate.from(`${server.origin}/shared`, live)
  // A request aborted at the end is no failure of the measurement.
  for (const replication of [push, pull]) replication.catch(() => {})
  const arrivals = new Map<string, (at: number) => void>()
  const changes = reader
    .changes({ live: true, since: 'now' })
    .on('change', ({ id }) => arrivals.get(id)?.(performance.now()))

  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const id = `m${round}`
    const arrived = new Promise<number>((resolve) => arrivals.set(id, resolve))
    const start = performance.now()
    await writer.put({ _id: id, content: 'hello', createdAt: start })
    took.push((await arrived) - start)
  }

  changes.cancel()
  push.cancel()
  pull.cancel()
  // Open requests must get answers: PouchDB reports an aborted request to no caller.
  await Promise.allSettled([push, pull])
  await Promise.all([writer.close(), reader.close()])
  await server.close()
  await rm(folder, { recursive: true, force: true })
  return took
}

/** A stock pouchdb-server on LevelDB, for comparison. Returns its origin. */
async function startPouchServer(): Promise<{ origin: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-pouch-server-'))
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    [program, '--port', String(port), '--dir', folder, '--no-stdout-logs'],
    { cwd: folder, stdio: 'ignore' },
  )
  await waitUntil('pouchdb-server answers', () =>
    fetch(origin).then(
      (response) => response.ok,
      () => false,
    ),
  )
  return {
    origin,
    async close() {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
