import { cpus } from 'node:os'
import { must } from '../../../schema/helpers/assertions.ts'
import { readEnvironment } from '../../../sync-server/config.ts'
import { startCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { startRedis } from '../../../sync-server/testing/start-redis.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { describeLoad, joinLoads, type Load, putLoad } from './load/put-load.ts'

/** People who write to a server at once. */
const clients = 40
const turns = 2
const warmUpMs = 10_000
const forMs = 4_000
const content = 'as many words as people write in one message of a chat'

/**
 * Messages that two servers on one CouchDB and one Redis carry, beside one on the same. What a
 * server carries shows under as much load for each: forty people write to it at once, in pairs
 * whose two are on different servers where there are two. The same forty shared by two servers say
 * what a second one costs where one was enough: each then writes batches half as large.
 * TEST_COUCHDB_URL names a CouchDB; without it pouchdb-server stands in, one process in memory,
 * which is a limit of its own. All share this machine's cores: so the processor time of each
 * message says more than messages in a second.
 */
export async function measure(): Promise<Figure[]> {
  const couch = await startCouch()
  const redis = await startRedis()
  const env = {
    COUCHDB_URL: readEnvironment().TEST_COUCHDB_URL || couch.url,
    REDIS_URL: redis.url,
    JWT_SECRET: 'a secret of the benchmark, long enough',
  }
  const servers = [await startBuiltServer({ env }), await startBuiltServer({ env })]
  const people: Account[] = []
  for (let index = 0; index < 2 * clients; index++) {
    people.push(await registerAccount(must(servers[0], 'a server').origin, `person${index}`))
  }
  const few = people.slice(0, clients)
  const one: Load[][] = []
  const two: Load[][] = []
  const shared: Load[][] = []
  await send(servers, people, warmUpMs)
  // In turns, so that whatever else this machine does meets all.
  for (let turn = 0; turn < turns; turn++) {
    one.push(await send(servers.slice(0, 1), few, forMs))
    two.push(await send(servers, people, forMs))
    shared.push(await send(servers, few, forMs))
  }
  await Promise.all(servers.map((server) => server.close()))
  await redis.close()
  await couch.close()

  const [rateOfOne, rateOfTwo] = [sumRates(one), sumRates(two)]
  const processorMs = (loads: Load[][]) => describeLoad(joinLoads(loads.flat())).processorMs
  const place = `${cpus().length} cores for all: servers, CouchDB, Redis and the load`
  return [
    { what: `one server on a CouchDB (${place})`, value: rateOfOne, unit: 'messages/s' },
    { what: 'two servers on the same', value: rateOfTwo, unit: 'messages/s' },
    { what: 'two beside one', value: rateOfTwo / rateOfOne, unit: '×', target: { atLeast: 1.7 } },
    { what: 'processor time of a message, one server', value: processorMs(one), unit: 'ms' },
    { what: 'processor time of a message, both servers', value: processorMs(two), unit: 'ms' },
    {
      what: 'two beside one by processor time, as with a core for each and a CouchDB that keeps up',
      value: (2 * processorMs(one)) / processorMs(two),
      unit: '×',
      target: { atLeast: 1.7 },
    },
    {
      what: 'the same with as many people on two servers as on one',
      value: (2 * processorMs(one)) / processorMs(shared),
      unit: '×',
    },
  ]
}

/** Each server's load, at the same time. */
async function send(servers: readonly BuiltServer[], people: readonly Account[], ms: number) {
  return await Promise.all(
    servers.map(({ origin }, index) => {
      const own = people.flatMap((_, person) => (person % servers.length === index ? person : []))
      return putLoad({
        origin,
        clients: own.length,
        forMs: ms,
        readProcessor: () => readMetric(origin, 'process_cpu_seconds_total'),
        ask(client) {
          const from = must(own[client], 'a person')
          const peer = must(people[from % 2 === 0 ? from + 1 : from - 1], 'a peer')
          return {
            method: 'POST' as const,
            path: '/api/messages',
            token: must(people[from], 'one').token,
            body: { recipientId: peer.userId, content },
          }
        },
      })
    }),
  )
}

/** Messages in a second of all servers together, over all turns. */
function sumRates(loads: readonly Load[][]): number {
  const rates = loads.map((turn) =>
    turn.reduce((sum, load) => sum + describeLoad(load).perSecond, 0),
  )
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}
