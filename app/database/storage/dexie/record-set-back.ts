import type { DBCore, DBCoreRangeType, DBCoreTable, DBCoreTransaction, Dexie } from 'dexie'
import { noteTable } from './accompany-writes.ts'

/** `DBCoreRangeType.Any`; Dexie exports it as a type only. */
const anyRange = 3 as DBCoreRangeType.Any

/**
 * A write gets its time when it begins, and tabs write at once: one that is earlier by less than
 * this is no sign of a changed clock.
 */
export const usualDelayMs = 10_000

const setBackMark = 'mark|set-back'

/** From this write time on, epoch ms, documents were stored after later ones. */
export interface SetBack {
  lwt: number
  /** How often that has happened. */
  count: number
}

interface Written {
  _meta: { lwt: number }
}

interface Tables {
  documents: DBCoreTable
  notes: DBCoreTable
}

/**
 * Notes, in the transaction that stores a document, that its write time lies before an earlier
 * one's: the device's clock was set back. Who follows the changes by time has to begin there.
 */
export function recordSetBack(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'recordSetBack',
    create: (core: DBCore) => ({
      ...core,
      table(tableName: string) {
        const documents = core.table(tableName)
        if (tableName !== 'docs') return documents
        return { ...documents, mutate: createMutate({ documents, notes: core.table(noteTable) }) }
      },
    }),
  })
}

/** Uses only Dexie's own promises: they carry the transaction, and an `await` may lose it. */
function createMutate(tables: Tables): DBCoreTable['mutate'] {
  return (request) => {
    const { type, trans } = request
    const values: readonly Written[] = type === 'put' || type === 'add' ? request.values : []
    if (values.length === 0) return tables.documents.mutate(request)
    const lwt = values.reduce((least, { _meta }) => Math.min(least, _meta.lwt), Infinity)
    // IndexedDB keeps the order: this is read before the documents are written.
    const newest = readNewest(tables.documents, trans)
    const written = tables.documents.mutate(request)
    return written.then((result) =>
      newest.then((before) =>
        lwt >= before - usualDelayMs ? result : record(tables, trans, lwt).then(() => result),
      ),
    )
  }
}

/** The latest write time; 0 without documents. */
function readNewest(documents: DBCoreTable, trans: DBCoreTransaction): PromiseLike<number> {
  const index = documents.schema.getIndexByKeyPath('_meta.lwt')
  if (!index) throw new Error('These documents have no index of their write times.')
  const query = { index, range: { type: anyRange, lower: undefined, upper: undefined } }
  return documents
    .openCursor({ trans, query, reverse: true, values: false })
    .then((cursor) => (cursor ? (cursor.key as number) : 0))
}

function record({ notes }: Tables, trans: DBCoreTransaction, lwt: number): PromiseLike<void> {
  return notes.get({ trans, key: setBackMark }).then((found: SetBack | undefined) => {
    const values = [
      {
        id: setBackMark,
        lwt: Math.min(lwt, found?.lwt ?? Infinity),
        count: (found?.count ?? 0) + 1,
      },
    ]
    return notes.mutate({ type: 'put', trans, values }).then(({ failures }) => {
      for (const failure of Object.values(failures)) throw failure
    })
  })
}

export async function readSetBack(dexie: Dexie): Promise<SetBack | undefined> {
  return await dexie.table<SetBack & { id: string }, string>(noteTable).get(setBackMark)
}

/** Drops the note, unless the clock was set back again since it was read. */
export async function dropSetBack(dexie: Dexie, { count }: SetBack): Promise<void> {
  const notes = dexie.table<SetBack & { id: string }, string>(noteTable)
  await dexie.transaction('rw', notes, async () => {
    if ((await notes.get(setBackMark))?.count === count) await notes.delete(setBackMark)
  })
}
