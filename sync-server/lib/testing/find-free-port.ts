import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Below every system's ephemeral range: no outgoing connection takes the port while its server is
// down.
const ports = { first: 20_000, last: 31_998, eachProcess: 40 }

/**
 * For tests: a free loopback port reserved to this process, so that a server can start on it a second later, and return
 * on it after a kill.
 */
export async function findFreePort(): Promise<number> {
  const count = ports.last - ports.first + 2
  const start = process.pid * ports.eachProcess
  for (let step = 0; step < count; step += 2) {
    const port = ports.first + ((start + step) % count)
    // The odd port above it is the lock of all processes that use this function. The system frees it when this one ends.
    const lock = await listen(port + 1)
    if (!lock) continue
    lock.unref()
    const probe = await listen(port)
    if (!probe) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error('no free port')
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return await once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}
