import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { createSocketCrowd } from './load/socket-crowd.ts'

const devices = 5_000
const pairsAtOnce = 16
const messagesOfPair = 5
/** Each person in a pair has these, and the conversation. */
const documentsEach = messagesOfPair + 1
const lookEveryMs = 250
const bytesPerKb = 1024

/**
 * Five thousand people's devices return after a server restart: each connects its socket and pulls
 * both its databases from the beginning, all in parallel. Before the single store, 700 took 90 s
 * and 3.5 GB.
 */
export async function measure(): Promise<Figure[]> {
  const crowd = createSocketCrowd(devices)
  const server = await startBuiltServer()
  const { origin } = server
  await server.kill()
  const people = await createCheapAccounts(server.dataDir, devices)
  await server.start()
  await writeInPairs(origin, people)
  await server.kill()
  await server.start()

  const before = await readMetric(origin, 'process_resident_memory_bytes')
  const memory = watchMemory(origin)
  const start = performance.now()
  const report = await crowd.comeBack(
    origin,
    people.map(({ token }) => token),
  )
  const tookMs = performance.now() - start
  const most = await memory.stop()
  if (report.open !== devices) throw new Error(`${devices - report.open} sockets were lost`)
  const due = devices * documentsEach
  if (report.pulled !== due) throw new Error(`${report.pulled} of ${due} documents were pulled`)
  const processorMs = (await readMetric(origin, 'process_cpu_seconds_total')) * 1_000
  await crowd.close()
  await server.close()
  const what = `${devices.toLocaleString('en')} devices come back after a restart`
  return [
    { what: `${what}: all are connected and have everything`, value: tookMs, unit: 'ms' },
    {
      what: `${what}: the server's memory at its most`,
      value: most / bytesPerKb,
      unit: 'kB',
      floors: [{ what: 'before they came', value: before / bytesPerKb }],
    },
    { what: `${what}: the server's processor time`, value: processorMs, unit: 'ms' },
    {
      what: `${what}: requests that were refused and asked again, of ${devices * 2}`,
      value: report.askedAgain,
      unit: 'requests',
    },
  ]
}

async function writeInPairs(origin: string, people: readonly Account[]): Promise<void> {
  const turn = pLimit(pairsAtOnce)
  const pairs = Array.from({ length: people.length / 2 }, (_, index) => {
    const author = must(people[2 * index], 'an author')
    const { userId: recipientId } = must(people[2 * index + 1], 'a recipient')
    return { origin, author, recipientId, count: messagesOfPair }
  })
  await Promise.all(pairs.map((pair) => turn(() => pushMessages(pair))))
}

function watchMemory(origin: string) {
  const state = { isOver: false, most: 0 }
  async function look() {
    while (!state.isOver) {
      state.most = Math.max(state.most, await readMetric(origin, 'process_resident_memory_bytes'))
      await pause(lookEveryMs)
    }
  }
  const looking = look()
  return {
    async stop(): Promise<number> {
      state.isOver = true
      await looking
      return state.most
    },
  }
}
