import { must } from '../../../schema/helpers/assertions.ts'
import { startCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { startLosingProxy } from '../../../sync-server/testing/couch/start-losing-proxy.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { describeLoad, putLoad } from './load/put-load.ts'

const delayMs = 5
const clients = 100
const alone = 200
const warmUpMs = 2_000
const content = 'as many words as people write in one message of a chat'

type Server = Awaited<ReturnType<typeof startBuiltServer>>

/**
 * Messages on a CouchDB (pouchdb-server, in memory) 5 ms away: from one sender in sequence, and
 * from a hundred people in pairs. Compared with one write of one document over the same path.
 */
export async function measure(): Promise<Figure[]> {
  const couch = await startCouch()
  const proxy = await startLosingProxy(couch.url, { delayMs })
  const server = await startBuiltServer({
    env: { COUCHDB_URL: proxy.url, JWT_SECRET: 'a secret of the benchmark, long enough' },
  })
  const people: Account[] = []
  for (let index = 0; index < clients; index++) {
    people.push(await registerAccount(server.origin, `person${index}`))
  }
  const send = (forMs: number, count: number) => sendInPairs(server, people, count, forMs)

  await send(warmUpMs, clients)
  proxy.takeRequests()
  const one = await sendAlone(server, people, alone)
  const requests = proxy.takeRequests().length / alone
  const writesAlone = await writeAlone(proxy.url)
  const all = await send(4_000, clients)
  const writes = await writeAll(proxy.url)
  await server.close()
  await proxy.close()
  await couch.close()

  const [p50, floor] = [takePercentile(one, 0.5), takePercentile(writesAlone, 0.5)]
  const place = `a CouchDB ${delayMs} ms away`
  return [
    {
      what: `requests to ${place} for each message`,
      value: requests,
      unit: 'requests',
      target: { atMost: 6 },
    },
    {
      what: `a message on ${place}, p50`,
      value: p50,
      unit: 'ms',
      floors: [{ what: 'one write', value: floor }],
    },
    {
      what: `a message on ${place}, p50 in writes one after the other`,
      unit: '×',
      value: p50 / floor,
      floors: [{ what: 'its own writes', value: 3 }],
    },
    {
      what: `messages on ${place}, ${clients} clients`,
      unit: 'requests/s',
      value: describeLoad(all).perSecond,
      floors: [{ what: 'single writes by as many', value: describeLoad(writes).perSecond }],
    },
  ]
}

async function sendAlone({ origin }: Server, people: readonly Account[], count: number) {
  const took: number[] = []
  for (let index = 0; index < count; index++) {
    const sentAt = performance.now()
    const { path, token, body } = askFor(people, 0)
    await post(`${origin}${path}`, body, { authorization: `Bearer ${token}` })
    took.push(performance.now() - sentAt)
  }
  return took
}

function sendInPairs({ origin }: Server, people: readonly Account[], count: number, forMs: number) {
  const readProcessor = () => readMetric(origin, 'process_cpu_seconds_total')
  return putLoad({
    origin,
    clients: count,
    forMs,
    readProcessor,
    ask: (client) => askFor(people, client),
  })
}

function askFor(people: readonly Account[], client: number) {
  const peer = must(people[client % 2 === 0 ? client + 1 : client - 1], 'a peer')
  return {
    method: 'POST' as const,
    path: '/api/messages',
    token: must(people[client], 'one').token,
    body: { recipientId: peer.userId, content },
  }
}

async function writeAlone(url: string) {
  await fetch(new URL('floor', url), { method: 'PUT' })
  const took: number[] = []
  for (let index = 0; index < alone; index++) {
    const sentAt = performance.now()
    await post(new URL('floor/_bulk_docs', url).href, { docs: [{ content }] })
    took.push(performance.now() - sentAt)
  }
  return took
}

/**
 * One client writes documents of one database, the server's best case: it needs no earlier reads.
 */
function writeAll(url: string) {
  return putLoad({
    origin: new URL(url).origin,
    clients,
    readProcessor: async () => 0,
    ask: () => ({ method: 'POST', path: '/floor/_bulk_docs', body: { docs: [{ content }] } }),
  })
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
}
