import { databaseMutants } from './lists/database-mutants.ts'
import type { Mutant } from './lists/mutant.ts'
import { serverMutants } from './lists/server-mutants.ts'
import { syncMutants } from './lists/sync-mutants.ts'

/**
 * Sixty hand-picked faults in code behind the promises: twenty each in app/sync, app/database and
 * sync-server.
 */
export function listMutants(): readonly Mutant[] {
  return [...syncMutants, ...databaseMutants, ...serverMutants]
}
