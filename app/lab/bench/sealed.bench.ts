import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createFileKey, sealFile } from '../../encryption/sealed-file.ts'
import { createLab } from '../create-lab.ts'
import type { LabDevice } from '../device/lab-device-types.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'

const [warmUps, rounds, turns] = [20, 40, 5]
/** Two devices and the server share one process: a message's work ends before the next. */
const quietMs = 50
/**
 * `--many`: only the catch-up, after ten times as many messages, which takes minutes. `--names` and
 * `--opening`: these alone.
 */
const [few, many] = [1_000, 10_000]
/** As long as people write: 10 to 120 characters, 46 on average. */
const lengths = [10, 14, 20, 26, 30, 36, 44, 52, 108, 120]

/** Large enough that nothing else counts. */
const fileBytes = 64 * 2 ** 20
/** Each known name and each unknown one, in turns: what else the machine does falls on both. */
const asks = 1_000

/** What sealing costs beside plain messages, in the same run. */
export async function measure({ cases }: { cases: readonly string[] }): Promise<Figure[]> {
  if (cases.includes('opening')) return [await measureOpening()]
  const [plain, sealed] = [await openPair(false), await openPair(true)]
  if (cases.includes('names')) return await measureDoors(plain)
  if (cases.includes('many')) {
    for (const pair of [plain, sealed]) await writeMissed(pair, many)
    return [await compareCatchUps({ plain, sealed }, many)]
  }
  const names = await measureDoors(plain)
  const took = { plain: [] as number[], sealed: [] as number[] }
  await measureArrivals(plain, warmUps)
  await measureArrivals(sealed, warmUps)
  for (let turn = 0; turn < turns; turn += 1) {
    took.plain.push(...(await measureArrivals(plain, rounds)))
    took.sealed.push(...(await measureArrivals(sealed, rounds)))
  }
  const bytes = { plain: await measureBytes(plain), sealed: await measureBytes(sealed) }
  const caughtUp = await compareCatchUps({ plain, sealed }, few)
  const median = takePercentile(took.plain, 0.5)
  return [
    {
      what: 'sealed: insert → other device’s database, p50',
      value: takePercentile(took.sealed, 0.5),
      unit: 'ms',
      floors: [{ what: 'plain', value: median }],
      target: { atMost: 1.1 * median },
    },
    {
      what: 'sealed: a message on the server’s disk, each of its two copies',
      value: bytes.sealed,
      unit: 'bytes',
      floors: [{ what: 'plain', value: bytes.plain }],
      target: { atMost: bytes.plain + 160 },
    },
    caughtUp,
    ...names,
    await measureOpening(),
  ]
}

/** Memory for opening a file, as a multiple of it: the open file alone is 1. */
async function measureOpening(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-opening-'))
  const [path, key] = [join(folder, 'sealed'), createFileKey()]
  const sealed = await sealFile(new Blob([new Uint8Array(fileBytes)]), key)
  await writeFile(path, sealed.stream())
  const program = fileURLToPath(new URL('load/open-file-program.ts', import.meta.url))
  async function open(way: 'arriving' | 'fetched'): Promise<number> {
    const given = ['--import', 'tsx', program, way, path, key]
    const { stdout } = await promisify(execFile)(process.execPath, given)
    return Number(stdout) / fileBytes
  }
  try {
    return {
      what: `sealed: memory to open a file of ${fileBytes / 2 ** 20} MiB while it arrives, of its size`,
      value: await open('arriving'),
      unit: '×',
      floors: [{ what: 'fetched first', value: await open('fetched') }],
      target: { atMost: 1.5 },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A stranger's time for a name that nobody has, beside one that somebody has. */
const measureDoors = async (pair: Pair) => [
  await measureNames(pair, 'derivation'),
  await measureNames(pair, 'sign-in'),
]

async function measureNames({ lab }: Pair, door: 'derivation' | 'sign-in'): Promise<Figure> {
  const secret = { v: 1, salt: 'A'.repeat(22), secret: 'A'.repeat(43) }
  const [path, shown] = door === 'derivation' ? ['password-derivation', {}] : ['login', { secret }]
  const took = { ben: [] as number[], bem: [] as number[] }
  for (let turn = 0; turn < warmUps + asks; turn += 1) {
    const order = turn % 2 === 0 ? (['ben', 'bem'] as const) : (['bem', 'ben'] as const)
    for (const username of order) {
      const begun = performance.now()
      const answer = await fetch(`${lab.server.url}/api/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, ...shown }),
      })
      await answer.arrayBuffer()
      if (turn >= warmUps) took[username].push(performance.now() - begun)
    }
  }
  const known = takePercentile(took.ben, 0.1)
  return {
    what: `names: ${door} of a name that nobody has, p10`,
    value: takePercentile(took.bem, 0.1),
    unit: 'ms',
    floors: [{ what: 'of one that somebody has', value: known }],
    target: { atMost: 1.05 * known },
  }
}

async function compareCatchUps(pairs: Record<'plain' | 'sealed', Pair>, count: number) {
  const plain = await measureCatchUp(pairs.plain)
  const sealed = await measureCatchUp(pairs.sealed)
  await Promise.all([pairs.plain.lab.close(), pairs.sealed.lab.close()])
  return {
    what: `sealed: ${count} missed messages caught up`,
    value: sealed,
    unit: 'ms',
    floors: [{ what: 'plain', value: plain }],
    target: { atMost: 1.3 * plain },
  } satisfies Figure
}

type Pair = Awaited<ReturnType<typeof openPair>>

async function openPair(hasKeys: boolean) {
  const lab = await createLab({ settings: { DURABILITY: 'relaxed' } })
  const [ann, ben] = [await lab.person('ann', { hasKeys }), await lab.person('ben', { hasKeys })]
  const [from, to] = [await ann.device(), await ben.device()]
  await lab.settle()
  return { lab, ann, ben, from, to }
}

async function measureArrivals({ from, to }: Pair, count: number): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round < count; round += 1) {
    took.push(await measureArrival(from, to, `round ${round} of ${count}`))
    await new Promise((resolve) => setTimeout(resolve, quietMs))
  }
  return took
}

async function measureArrival(from: LabDevice, to: LabDevice, content: string): Promise<number> {
  const view = to.messenger.openConversation(from.userId)
  const arrived = new Promise<number>((resolve) => {
    const unsubscribe = view.messages.subscribe(() => {
      const last = view.messages.getSnapshot().items.at(-1)
      if (last?.content !== content) return
      unsubscribe()
      resolve(performance.now())
    })
  })
  const start = performance.now()
  await from.say(to, content)
  return (await arrived) - start
}

/** Written to the server's disk for each of a message's copies, before anything is compacted. */
async function measureBytes(pair: Pair): Promise<number> {
  const before = await sizeOf(pair.lab.server.dataDir)
  await writeMissed(pair, few)
  return ((await sizeOf(pair.lab.server.dataDir)) - before) / few / 2
}

/** Ben's device is away for all of them. */
async function writeMissed({ lab, from, to }: Pair, count: number): Promise<void> {
  await lab.settle()
  to.network.goOffline()
  for (let at = 0; at < count; at += 1) {
    const length = lengths[at % lengths.length] ?? 1
    await from.say(to, `${'as people write '.repeat(8).slice(0, length - 4)} ${at % 1_000}`)
    // All of many at once would take longer than a lab may.
    if ((at + 1) % few === 0) await lab.settle()
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = files.map(async (file) => (await stat(join(file.parentPath, file.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The other device was away for all of them. */
async function measureCatchUp({ lab, ann, to }: Pair): Promise<number> {
  const start = performance.now()
  to.network.goOnline()
  const { size } = await ann.server.messages()
  while ((await to.stored()).messages.size < size) {
    await new Promise((resolve) => setTimeout(resolve, quietMs))
  }
  const took = performance.now() - start
  await lab.settle()
  return took
}
