import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import type { Figure } from './figure.ts'
import { readMetric } from './read-metric.ts'
import { type Account, pushMessages, registerAccount } from './server-accounts.ts'
import { waitUntilIdle, withGarbageCollected } from './wait-until-idle.ts'

const few = 1_000
const many = 100_000
const pages = 20
const pageLength = 500
/** What Node itself needs differs a little from start to start. */
const noise = 1.05
const bytesPerKb = 1024

/** What stored messages cost the memory of a server that was started on them, and was then asked for some. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: { ...withGarbageCollected, DURABILITY: 'relaxed' } })
  const { origin } = server
  const ann = await registerAccount(origin, 'ann')
  const ben = await registerAccount(origin, 'ben')
  const pair = { origin, author: ann, recipientId: ben.userId }
  await pushMessages({ ...pair, count: few })
  const before = await measureStart(server, { reader: ben, author: ann })
  await pushMessages({ ...pair, count: many - few })
  const after = await measureStart(server, { reader: ben, author: ann })
  await server.close()
  const what = 'of a server with 100,000 stored messages'
  return [
    {
      ...{ what: `memory in use ${what}`, value: after.inUse, unit: 'kB' },
      floors: [{ what: 'with 1,000', value: before.inUse }],
      target: { atMost: before.inUse * noise },
    },
    {
      // Two starts on the same data differ by a tenth and more: what was once needed is not always given back.
      ...{ what: `resident memory ${what}`, value: after.resident, unit: 'kB' },
      floors: [{ what: 'with 1,000', value: before.resident }],
    },
  ]
}

/** @returns the memory of a fresh process that has answered the same requests, in kB */
async function measureStart(
  server: BuiltServer,
  { reader, author }: { reader: Account; author: Account },
) {
  await server.kill()
  await server.start()
  const { origin } = server
  for (let page = 0; page < pages; page++) {
    await read(`${origin}/api/messages/${author.userId}`, reader)
    const changes = `_changes?include_docs=true&limit=${pageLength}&descending=true`
    await read(`${origin}/sync/messages/${changes}`, reader)
  }
  await waitUntilIdle(origin)
  const readKb = async (name: string) => (await readMetric(origin, name)) / bytesPerKb
  const heap = await readKb('nodejs_heap_size_used_bytes')
  const external = await readKb('nodejs_external_memory_bytes')
  return { inUse: heap + external, resident: await readKb('process_resident_memory_bytes') }
}

async function read(url: string, { token }: Account): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  await response.arrayBuffer()
}
