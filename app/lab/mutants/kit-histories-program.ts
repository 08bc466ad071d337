import { findFalseAlarm, findPlanted, plantedFaults } from '../examples/planted-histories.ts'
import type { HistoryTold } from '../histories-program.ts'

/**
 * Looks with the kit for each fault that is planted in the notes, and for a failure of the notes without one. What it
 * does not find, or finds where nothing is wrong, is a fault of the kit. Tells after each look how many histories ran.
 */
const soundSeeds = 15
/** Many more than a kit without a fault needs for any of them. */
const plantedSeeds = 40
const seedsTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
const shared = { shrinkTries: 0 }

async function tell(one: Pick<HistoryTold, 'seed' | 'failure'>): Promise<void> {
  const told: HistoryTold = { deaths: 0, refused: 0, ...one }
  await new Promise((resolve) => process.send?.(told, resolve))
}

let count = 0
const alarm = await findFalseAlarm({ ...shared, seeds: seedsTo(soundSeeds) })
count += alarm?.tried ?? soundSeeds
await tell({
  seed: count,
  ...(alarm && { failure: `The notes without a fault, seed ${alarm.seed}: ${alarm.broken}` }),
})
for (const fault of plantedFaults) {
  const found = await findPlanted(fault, { ...shared, seeds: seedsTo(plantedSeeds), atOnce: 10 })
  count += found?.tried ?? plantedSeeds
  const isFound = found && !found.broken.join().startsWith('It failed')
  await tell({ seed: count, ...(!isFound && { failure: `It does not find "${fault}"` }) })
}
process.exit(0)
