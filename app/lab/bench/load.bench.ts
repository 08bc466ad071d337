import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { limits } from '../../../schema/limits.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import type { Account } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { startFloorServer } from './floors/start-floor-server.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { type LoadOrder, type LoadShape, type LoadWay, loadWays } from './load/load-orders.ts'
import { type ChatLoad, putChatLoad, type ServerCounts } from './load/put-chat-load.ts'

/** A server runs for weeks: V8 has compiled it, as thousands of messages make it do. */
const compileMs = 8_000
/** The people of one load leave after their grace, all at once: no other load measures that. */
const leftAfterMs = limits.presenceGraceMs + 1_000

interface Shape extends LoadShape {
  what: string
  /**
   * Time for two thousand messages: V8 compiles what a new rhythm makes hot on threads of the server, which cost it
   * 0.5 ms a message meanwhile.
   */
  warmUpMs: number
  /** How long to measure. */
  forMs: number
  /** What the app's messages should take, ms. */
  p95AtMost?: number
}

const busiest: Shape = {
  what: '50 pairs, 4 in flight',
  pairs: 50,
  rhythm: { inFlight: 4 },
  warmUpMs: 1_500,
  forMs: 5_000,
}
const shapes: Record<string, Shape> = {
  pair: {
    what: '1 pair, 50 messages/s',
    pairs: 1,
    rhythm: { perSecond: 50 },
    warmUpMs: 40_000,
    forMs: 10_000,
    p95AtMost: 6,
  },
  pairs: busiest,
  people: {
    what: '200 people, 100 messages/s',
    pairs: 100,
    rhythm: { perSecond: 100 },
    warmUpMs: 20_000,
    forMs: 10_000,
    p95AtMost: 10,
  },
}
/** What a message costs as more are sent: measured only when asked for, as `curve`. */
const curve = [1, 10, 100, 300, 1_000, 2_000].map(
  (perSecond): Shape => ({
    what: `200 people, ${perSecond} messages/s`,
    pairs: 100,
    rhythm: { perSecond },
    warmUpMs: 10_000,
    // A percentile of fewer would be one message.
    forMs: Math.max(10_000, 100_000 / perSecond),
  }),
)
const words: Record<LoadWay, string> = {
  socket: 'by socket',
  rest: 'by REST',
  app: 'as the app does, without receipts',
  'app-with-receipts': 'as the app does, with receipts',
  'bare-express': 'bare Express, one synced put',
  'bare-ws': 'bare ws, two PouchDB puts',
  'bare-ws-with-receipts': 'bare ws, puts of as many documents, with receipts',
}
const isFloor = (way: LoadWay) => way.startsWith('bare-')

/**
 * Messages between devices, each stored in both copies and on the disk before its acknowledgement.
 * @param options.cases names of shapes and of ways (`pairs`, `app-with-receipts`); all when empty.
 * `curve`: 200 people at 1 to 2,000 messages/s, in place of the shapes
 */
export async function measure({
  cases = [],
}: {
  cases?: readonly string[]
} = {}): Promise<Figure[]> {
  const known = [...Object.keys(shapes), 'curve', ...loadWays]
  const unknown = cases.find((one) => !known.includes(one))
  if (unknown) throw new Error(`No case ${unknown}: ${known.join(', ')}`)
  const choose = <Name extends string>(names: readonly Name[]): readonly Name[] => {
    const chosen = names.filter((name) => cases.includes(name))
    return chosen.length > 0 ? chosen : names
  }
  const chosenWays = choose(loadWays)
  const ours = await startOurs()
  const floors = await startFloorServer()

  async function put(order: Pick<LoadOrder, 'way' | 'shape' | 'people' | 'warmUpMs' | 'forMs'>) {
    const isBare = isFloor(order.way)
    const { origin } = isBare ? floors : ours.server
    const load = await putChatLoad({ origin, ...order }, () => readCounts(origin, isBare))
    if (!isBare) await setTimeout(leftAfterMs)
    return load
  }

  const figures: Figure[] = []
  for (const way of loadWays.filter((one) => chosenWays.includes(one) || isFloor(one))) {
    await put({ way, shape: busiest, people: ours.others, warmUpMs: compileMs, forMs: 1 })
  }
  const chosen = choose(Object.keys(shapes)).flatMap((name) => shapes[name] ?? [])
  for (const shape of cases.includes('curve') ? curve : chosen) {
    const loads = new Map<LoadWay, ChatLoad>()
    // Measures the floors beside every selection.
    for (const way of loadWays.filter((one) => chosenWays.includes(one) || isFloor(one))) {
      const people = ours.people.slice(0, 2 * shape.pairs)
      const { warmUpMs, forMs } = shape
      const load = await put({ way, shape, people, warmUpMs, forMs })
      loads.set(way, load)
      // Long steps report their progress.
      console.error(`${shape.what}, ${words[way]}: ${describe(load)}`)
    }
    figures.push(...list(shape, loads))
  }
  await ours.server.close()
  await floors.close()
  return figures
}

/** @returns `others`: people for the busiest shape whose chats are measured nowhere */
async function startOurs(): Promise<{
  server: BuiltServer
  people: Account[]
  others: Account[]
}> {
  const server = await startBuiltServer({ env: { DURABILITY: 'sync' } })
  await server.kill()
  const mostPairs = Math.max(...Object.values(shapes).map(({ pairs }) => pairs))
  const all = await createCheapAccounts(server.dataDir, 2 * (mostPairs + busiest.pairs))
  await server.start()
  return { server, people: all.slice(0, 2 * mostPairs), others: all.slice(2 * mostPairs) }
}

async function readCounts(origin: string, isBare: boolean): Promise<ServerCounts> {
  if (isBare) {
    return { processorSeconds: Number(await (await fetch(`${origin}/processor`)).text()) }
  }
  return {
    processorSeconds: await readMetric(origin, 'process_cpu_seconds_total'),
    syncedWrites: await readMetric(origin, 'petrel_synced_writes_total'),
    keysWritten: await readMetric(origin, 'petrel_keys_written_total'),
  }
}

/** Each for one message. */
function sumUp({ tookMs, forMs, requests, frames, server }: ChatLoad) {
  const count = tookMs.length
  return {
    perSecond: count / (forMs / 1000),
    p50: takePercentile(tookMs, 0.5),
    p95: takePercentile(tookMs, 0.95),
    p99: takePercentile(tookMs, 0.99),
    processorMs: (server.processorSeconds / count) * 1000,
    requests: requests / count,
    frames: frames / count,
    waits: server.syncedWrites / count,
    keys: server.keysWritten / count,
  }
}

function describe(load: ChatLoad): string {
  const values = Object.entries(sumUp(load)).map(([name, value]) => `${name} ${value.toFixed(2)}`)
  return `${values.join(', ')} (load average ${loadavg()[0]?.toFixed(1)})`
}

function list({ what, rhythm, p95AtMost }: Shape, loads: ReadonlyMap<LoadWay, ChatLoad>): Figure[] {
  const rows = new Map([...loads].map(([way, load]) => [way, sumUp(load)]))
  const floorsOf = (key: 'perSecond' | 'p50' | 'p95' | 'p99' | 'processorMs') =>
    [...rows].flatMap(([way, row]) => (isFloor(way) ? [{ what: words[way], value: row[key] }] : []))
  return [...rows].flatMap(([way, row]) => {
    if (isFloor(way)) return []
    const whole = `${what}, ${words[way]}`
    const isWhole = way === 'app-with-receipts'
    const isClosed = 'inFlight' in rhythm
    const hasGoal = isClosed || (p95AtMost !== undefined && rhythm.perSecond > 50)
    const bareWs = rows.get('bare-ws')
    const goal = isWhole && isClosed && bareWs && { atLeast: bareWs.perSecond / 4 }
    return [
      {
        what: whole,
        value: row.perSecond,
        unit: 'messages/s' as const,
        floors: floorsOf('perSecond'),
        ...(goal && { target: goal }),
      },
      { what: `${whole}, p50`, value: row.p50, unit: 'ms' as const, floors: floorsOf('p50') },
      {
        what: `${whole}, p95`,
        value: row.p95,
        unit: 'ms' as const,
        floors: floorsOf('p95'),
        ...(isWhole && p95AtMost !== undefined && { target: { atMost: p95AtMost } }),
      },
      { what: `${whole}, p99`, value: row.p99, unit: 'ms' as const, floors: floorsOf('p99') },
      {
        what: `${whole}, processor time of each`,
        value: row.processorMs,
        unit: 'ms' as const,
        floors: floorsOf('processorMs'),
        ...(isWhole && hasGoal && { target: { atMost: 3 } }),
      },
      { what: `${whole}, requests for each`, value: row.requests, unit: 'requests' as const },
      { what: `${whole}, waits for the disk`, value: row.waits, unit: 'waits' as const },
      { what: `${whole}, keys written`, value: row.keys, unit: 'keys' as const },
    ]
  })
}
