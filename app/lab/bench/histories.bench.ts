import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { HistoryTold } from '../histories-program.ts'
import type { Figure } from './figures/figure.ts'

const program = fileURLToPath(new URL('../histories-program.ts', import.meta.url))
const histories = 1_000
const tellEvery = 100
/** A process releases little of a lab's memory. */
const perProcess = 25

/**
 * A thousand random histories, with a server that dies at any stage or write and a disk that fills
 * up at any write: afterwards nothing is lost, partial or out of order. Every run draws new ones; a
 * failure names its seed.
 */
export async function measure(): Promise<Figure[]> {
  const first = Math.floor(Math.random() * 1_000_000_000)
  const told: HistoryTold[] = []
  const batches = Array.from({ length: Math.ceil(histories / perProcess) }, (_, index) => ({
    from: first + index * perProcess,
    count: Math.min(perProcess, histories - index * perProcess),
  }))
  const start = performance.now()
  async function work() {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      await runBatch(batch, (one) => {
        told.push(one)
        if (one.failure) console.error(one.failure)
        if (told.length % tellEvery === 0) console.error(`${told.length} of ${histories}`)
      })
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  const sum = (read: (one: HistoryTold) => number) =>
    told.reduce((total, one) => total + read(one), 0)
  const faults = `${sum(({ deaths }) => deaths)} kills and ${sum(({ refused }) => refused)} refused writes`
  return [
    {
      what: `random histories without a failure, with ${faults} in them`,
      value: sum(({ failure }) => (failure ? 0 : 1)),
      unit: 'histories',
      target: { atLeast: histories },
    },
    {
      what: 'each of them',
      value: (performance.now() - start) / histories,
      unit: 'ms',
    },
  ]
}

async function runBatch(
  { from, count }: { from: number; count: number },
  onTold: (one: HistoryTold) => void,
): Promise<void> {
  const child = fork(program, [String(from), String(count)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('message', onTold)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The process of the histories from ${from} on ended with ${code}`)
}
