import type { Dexie } from 'dexie'

/**
 * For databases without Dexie live queries: stops Dexie from tracking reads and announcing writes.
 * Live queries elsewhere keep announcements until they next run, so those that never run would fill
 * the memory with every message id for as long as the page is open.
 */
export function endLiveQueries(dexie: Dexie): void {
  for (const name of ['Observability', 'Cache']) dexie.unuse({ stack: 'dbcore', name })
}
