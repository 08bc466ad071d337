import { setTimeout as pause } from 'node:timers/promises'
import { createLab } from './create-lab.ts'
import { runGroupHistory } from './group-history.ts'
import type { Lab } from './lab.ts'
import { runHistory } from './run-history.ts'

/** One history's outcome. */
export interface HistoryTold {
  seed: number
  /** The broken promise, and the steps that break it. */
  failure?: string
  deaths: number
  refused: number
}

const steps = { people: 40, groups: 50 }
/** Far longer than any takes: nothing may hang for good. */
const patienceMs = 10 * 60_000
/** How many shorter histories to try after a failure. */
const shrinkTriesUsual = 4
const [, , from, count, shrinkTries = shrinkTriesUsual, kind = 'people'] = process.argv
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  process.send?.(await run(seed))
}
process.exit(0)

async function run(seed: number): Promise<HistoryTold> {
  const labs: Lab[] = []
  const [runOne, length] =
    kind === 'groups' ? [runGroupHistory, steps.groups] : [runHistory, steps.people]
  const running = runOne({
    seed,
    steps: length,
    shrinkTries: Number(shrinkTries),
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
