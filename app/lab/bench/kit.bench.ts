import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { createNotesServer, openOutboxNotes } from '../examples/dexie-outbox.ts'
import { findFailure } from '../kit/histories.ts'
import type { World } from '../kit/lab.ts'
import type { Figure } from './figures/figure.ts'

const histories = 200
const steps = 50
/** Most of a history is waiting: so many wait together. */
const atOnce = 24
/** As many as a history of fifty steps has on average. */
const writes = 10
/** The app asks every 25 ms: what this does not see never comes. */
const quietMs = 60

/**
 * What a history of a small app costs: notes on Dexie, two devices, fifty steps, a server that is a function. Beside it
 * what the two apps cost alone, without a lab around them.
 */
export async function measure(): Promise<Figure[]> {
  await runHistories(1, atOnce)
  const alone = await measureCost(async () => {
    for (let at = 0; at < histories / 4; at += 1) await runAlone(at)
    return histories / 4
  })
  const inLab = await measureCost(async () => {
    await runHistories(1_000, histories)
    return histories
  })
  const kept = process.memoryUsage().rss
  return [
    {
      what: `histories of ${steps} steps on two devices, ${atOnce} at once, in a second`,
      value: 1_000 / inLab.ms,
      unit: 'histories',
      target: { atLeast: 20 },
    },
    {
      what: 'processor time of each',
      value: inLab.processorMs,
      unit: 'ms',
      floors: [{ what: 'the two apps alone', value: alone.processorMs }],
    },
    { what: 'memory of the process that ran them', value: kept / 1_024, unit: 'kB' },
  ]
}

async function measureCost(work: () => Promise<number>) {
  const [begunAt, begun] = [performance.now(), process.cpuUsage()]
  const count = await work()
  const { user, system } = process.cpuUsage(begun)
  return { ms: (performance.now() - begunAt) / count, processorMs: (user + system) / 1_000 / count }
}

async function runHistories(first: number, count: number) {
  const failure = await findFailure({
    seeds: Array.from({ length: count }, (_, index) => first + index),
    steps,
    atOnce,
    quietMs,
    serve: createNotesServer,
    open: (world) => openOutboxNotes(world, { hasKey: true }),
    actions: { write: (app, { id }) => app.write(id, `note of ${id}`) },
  })
  if (failure) throw new Error(`Seed ${failure.seed} breaks ${failure.broken}`)
}

/** The same two apps on one server, until both have what both wrote. */
async function runAlone(at: number) {
  const serve = createNotesServer()
  const open = (device: string) =>
    openOutboxNotes(
      {
        device: `${device}-${at}`,
        url: 'http://notes.invalid',
        indexedDB: new IDBFactory(),
        IDBKeyRange,
        fetch: (async (url: string, init?: RequestInit) =>
          await serve(new Request(url, init))) as typeof fetch,
      } as World,
      { hasKey: true },
    )
  const apps = await Promise.all(['phone', 'laptop'].map(open))
  for (let n = 0; n < writes; n += 1) await apps[n % 2]?.write(`${n}`, `note of ${n}`)
  for (;;) {
    const held = await Promise.all(apps.map((app) => app.read()))
    if (held.every((each) => Object.keys(each).length === writes)) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await Promise.all(apps.map((app) => app.close()))
}
