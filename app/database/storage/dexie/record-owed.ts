import type { Dexie } from 'dexie'
import { accompanyWrites, noteTable } from './accompany-writes.ts'

export const owedPrefix = 'owed|'
/** Set when a database is created: notes from an earlier one of the same name do not apply. */
export const madeHereMark = 'mark|made'

interface Written {
  _id: string
  _rev: string
  /** Replication's note on a server version: the height of its revision. */
  _meta: { o?: { _rev: number } }
}

/**
 * Records, in the transaction that stores a document, that its version is not the server's. So the
 * stored data alone shows what is owed, whichever tab wrote it, whatever its clock said, and
 * whenever it died.
 */
export function recordOwed(dexie: Dexie): void {
  // A surplus note costs one check; a document without a note might never be sent.
  accompanyWrites<Written>(dexie, 'recordOwed', (written) => ({
    values: written.filter(isOfThisDevice).map(({ _id }) => ({ id: owedPrefix + _id })),
  }))
  dexie.on('populate', (transaction) => {
    void transaction.table(noteTable).put({ id: madeHereMark })
  })
}

function isOfThisDevice({ _rev, _meta }: Written): boolean {
  return _meta.o?._rev !== Number.parseInt(_rev, 10)
}
