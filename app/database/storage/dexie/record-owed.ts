import type { Dexie } from 'dexie'
import { accompanyWrites, noteTable } from './accompany-writes.ts'

export const owedPrefix = 'owed|'
/** Set when a database is made: whatever was noted of an earlier one of its name is not of this one. */
export const madeHereMark = 'mark|made'

interface Written {
  _id: string
  _rev: string
  /** What replication notes on a version that came from the server: the height of its revision. */
  _meta: { o?: { _rev: number } }
}

/**
 * Notes in the very transaction that stores a document that its version is not the server's. So what is owed can be
 * read from what is stored, whichever tab wrote it, whatever its clock said, and whenever it died.
 */
export function recordOwed(dexie: Dexie): void {
  // A note too many costs a look; a document without one might never leave.
  accompanyWrites<Written>(dexie, 'noteOwed', (written) => ({
    values: written.filter(isOfThisDevice).map(({ _id }) => ({ id: owedPrefix + _id })),
  }))
  dexie.on('populate', (transaction) => {
    void transaction.table(noteTable).put({ id: madeHereMark })
  })
}

function isOfThisDevice({ _rev, _meta }: Written): boolean {
  return _meta.o?._rev !== Number.parseInt(_rev, 10)
}
