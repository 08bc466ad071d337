import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { describeLoad, joinLoads, type Load, putLoad } from './load/put-load.ts'
import { waitUntilIdle, withGarbageCollected } from './load/wait-until-idle.ts'

const few = 1_000
const many = 100_000
const pages = 20
const pageLength = 500
const turns = 5
const turnMs = 3_000
const sendersAtOnce = 4
/** Node's own memory differs slightly between starts. */
const noise = 1.05
const bytesPerKb = 1024

/** What stored messages cost a server: memory after a start, and processor time per new message. */
export async function measure(): Promise<Figure[]> {
  const sides = { few: await startChat(), many: await startChat() }
  await pushMessages({ ...sides.few.pair, count: few })
  const before = await measureStart(sides.few)
  await pushMessages({ ...sides.many.pair, count: many })
  const after = await measureStart(sides.many)
  const each = { few: [] as Load[], many: [] as Load[] }
  for (const { server } of Object.values(sides)) {
    // Without the per-second garbage collections of the memory measurement, which take a processor
    // too.
    await server.kill()
    await server.start({ NODE_OPTIONS: '' })
  }
  // Alternating, so that the machine's other load affects both; the first turn is a warm-up.
  for (let turn = 0; turn <= turns; turn++) {
    const [ofFew, ofMany] = [await sendMessages(sides.few), await sendMessages(sides.many)]
    if (turn === 0) continue
    each.few.push(ofFew)
    each.many.push(ofMany)
  }
  await Promise.all(Object.values(sides).map(({ server }) => server.close()))
  const processorMs = (loads: readonly Load[]) => describeLoad(joinLoads(loads)).processorMs
  const [beside, value] = [processorMs(each.few), processorMs(each.many)]
  const what = 'of a server with 100,000 stored messages'
  return [
    {
      what: `memory in use ${what}`,
      value: after.inUse,
      unit: 'kB',
      floors: [{ what: 'with 1,000', value: before.inUse }],
      target: { atMost: before.inUse * noise },
    },
    {
      // Two starts on the same data differ by a tenth and more: a process does not return all its
      // peak memory.
      what: `resident memory ${what}`,
      value: after.resident,
      unit: 'kB',
      floors: [{ what: 'with 1,000', value: before.resident }],
    },
    {
      what: `processor time of a new message ${what}`,
      value,
      unit: 'ms',
      floors: [{ what: 'with 1,000', value: beside }],
      target: { atMost: 1.1 * beside },
    },
  ]
}

interface Chat {
  server: BuiltServer
  pair: { origin: string; author: Account; recipientId: string }
  reader: Account
}

async function startChat(): Promise<Chat> {
  const server = await startBuiltServer({ env: { ...withGarbageCollected, DURABILITY: 'relaxed' } })
  const { origin } = server
  const [author, reader] = [
    await registerAccount(origin, 'ann'),
    await registerAccount(origin, 'ben'),
  ]
  return { server, pair: { origin, author, recipientId: reader.userId }, reader }
}

function sendMessages({ pair: { origin, author, recipientId } }: Chat): Promise<Load> {
  return putLoad({
    origin,
    clients: sendersAtOnce,
    forMs: turnMs,
    readProcessor: () => readMetric(origin, 'process_cpu_seconds_total'),
    ask: () => ({
      method: 'POST',
      path: '/api/messages',
      token: author.token,
      body: { recipientId, content: 'as many words as people write in one message of a chat' },
    }),
  })
}

/** @returns the memory of a fresh process that has answered the same requests, in kB */
async function measureStart({ server, reader, pair: { author } }: Chat) {
  await server.kill()
  await server.start()
  const { origin } = server
  for (let page = 0; page < pages; page++) {
    await read(`${origin}/api/messages/${author.userId}`, reader)
    const { update_seq } = JSON.parse(await read(`${origin}/sync/messages/`, reader))
    const changes = `_changes?include_docs=true&since=${Math.max(update_seq - pageLength, 0)}`
    await read(`${origin}/sync/messages/${changes}`, reader)
  }
  await waitUntilIdle(origin)
  const readKb = async (name: string) => (await readMetric(origin, name)) / bytesPerKb
  const heap = await readKb('nodejs_heap_size_used_bytes')
  const external = await readKb('nodejs_external_memory_bytes')
  return { inUse: heap + external, resident: await readKb('process_resident_memory_bytes') }
}

async function read(url: string, { token }: Account): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return await response.text()
}
