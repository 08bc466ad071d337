import { databaseMutants } from './lists/database-mutants.ts'
import { historyMutants } from './lists/history-mutants.ts'
import { kitMutants, ruleMutants } from './lists/kit-mutants.ts'
import type { Mutant } from './lists/mutant.ts'
import { sealingMutants } from './lists/sealing-mutants.ts'
import { serverMutants } from './lists/server-mutants.ts'
import { syncMutants } from './lists/sync-mutants.ts'

/**
 * Hand-picked faults in code behind the promises: twenty each in app/sync, app/database and
 * sync-server, seventy-one in what seals, opens, chooses keys and says on screens what is sealed, six each in the rule and in the
 * lab's kit, and those that were chosen for histories.
 */
export function listMutants(): readonly Mutant[] {
  return [
    ...syncMutants,
    ...databaseMutants,
    ...serverMutants,
    ...sealingMutants,
    ...ruleMutants,
    ...kitMutants,
    ...historyMutants,
  ]
}

/** Thirty of them, in the sync core, the rule, the server and the kit, which histories must find without the tests. */
export function listHistoryMutants(): readonly Mutant[] {
  return listMutants().filter(({ isForHistories = false }) => isForHistories)
}
