import type { Dexie } from 'dexie'

/**
 * For databases that nobody reads by Dexie's live queries: no read of them is noted and no write is announced.
 * Every live query of every database keeps what was announced until it next runs, so that what is written here
 * would fill the memory of those that never do: each id of a message, for as long as the page is open.
 */
export function endLiveQueries(dexie: Dexie): void {
  for (const name of ['Observability', 'Cache']) dexie.unuse({ stack: 'dbcore', name })
}
