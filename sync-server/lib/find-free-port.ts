import { once } from 'node:events'
import { createServer } from 'node:net'

// Below every system's ephemeral range: no outgoing connection takes the port while its server is
// down.
const ports = { first: 20_000, last: 31_999, eachProcess: 40, lanes: 16 }
const given = new Set<number>()

/**
 * For tests: a free loopback port reserved to this process, so that a server can return on it after
 * a kill.
 */
export async function findFreePort(): Promise<number> {
  const count = ports.last - ports.first + 1
  const start = process.pid * ports.eachProcess
  for (let step = 0; step < count; step++) {
    const port = ports.first + ((start + step) % count)
    if (!isInOwnLane(port) || given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error('no free port')
}

/** Test files run in parallel: two looking at the same moment could both find one port free. */
function isInOwnLane(port: number): boolean {
  const pool = process.env.VITEST_POOL_ID
  return pool === undefined || port % ports.lanes === Number(pool) % ports.lanes
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
