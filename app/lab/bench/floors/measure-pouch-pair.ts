import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PouchDB from 'pouchdb'
import { startPouchServer } from './start-pouch-server.ts'

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
