import { setTimeout as pause } from 'node:timers/promises'
import { createLab, type Lab } from './create-lab.ts'
import { runHistory } from './run-history.ts'

/** What became of one history. */
export interface HistoryTold {
  seed: number
  /** What it broke, and by which steps. */
  failure?: string
  deaths: number
  refused: number
}

const steps = 40
/** Far longer than any takes: nothing may stand still for good. */
const patienceMs = 10 * 60_000
const [, , from, count] = process.argv
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  process.send?.(await run(seed))
}
process.exit(0)

async function run(seed: number): Promise<HistoryTold> {
  const labs: Lab[] = []
  const running = runHistory({
    seed,
    steps,
    shrinkTries: 4,
    async createLab(options) {
      const lab = await createLab(options)
      labs.push(lab)
      return lab
    },
  })
  const standing = pause(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error(`Seed ${seed} stands still.`)
  })
  const failure = await Promise.race([running, standing]).then(
    () => undefined,
    (error: unknown) => String(error),
  )
  const [first] = labs
  return {
    seed,
    deaths: first?.server.countDeaths() ?? 0,
    refused: first?.server.disk.countRefused() ?? 0,
    ...(failure && { failure }),
  }
}
