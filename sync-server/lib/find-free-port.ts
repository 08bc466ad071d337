import { once } from 'node:events'
import { createServer } from 'node:net'

// Below what any system gives to outgoing connections: none of them takes the port while its server is down.
const ports = { first: 20_000, last: 31_999, eachProcess: 40, lanes: 16 }
const given = new Set<number>()

/**
 * For tests: a port on the loopback that nothing listens on, and that stays this process's own, so that a server
 * can come back on it after a kill.
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

/** Of test files that run side by side two that look at the same moment would both find a port free. */
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
