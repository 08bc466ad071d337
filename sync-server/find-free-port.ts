import { once } from 'node:events'
import { createServer } from 'node:net'

// Below what any system gives to outgoing connections: none of them takes the port while its server is down.
const ports = { first: 20_000, last: 31_999, eachProcess: 40 }
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
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error('no free port')
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
