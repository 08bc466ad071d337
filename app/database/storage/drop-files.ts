import {
  type DBCore,
  type DBCoreMutateRequest,
  type DBCoreRangeType,
  type DBCoreTable,
  type DBCoreTransaction,
  Dexie,
} from 'dexie'
import { noteTable } from './dexie/accompany-writes.ts'
import { wantingRanges } from './find-wanted-files.ts'
import { addressPrefix, filePrefix } from './kept-file.ts'
import type { StoredMessage } from './stored-message.ts'

/** `DBCoreRangeType.Range`; Dexie exports it as a type only. */
const rangeType = 2 as DBCoreRangeType.Range

interface Tables {
  documents: DBCoreTable
  notes: DBCoreTable
}

/**
 * Takes a file away in the very transaction that stores that its message was deleted (P8), unless an unsent or starred
 * message shows the same one (P1): that leaves once nothing wants it, with what was cleared.
 */
export function dropFiles(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'dropFiles',
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

function createMutate(tables: Tables): DBCoreTable['mutate'] {
  return (request: DBCoreMutateRequest) => {
    const { type, trans } = request
    const written = tables.documents.mutate(request)
    const values: readonly StoredMessage[] = type === 'put' || type === 'add' ? request.values : []
    const deleted = values.flatMap(({ _id, deletedAt }) => (deletedAt ? _id : []))
    if (deleted.length === 0) return written
    // What it gives is a promise of Dexie's own: it knows its transaction by them.
    return written.then((result) => drop(tables, trans, deleted).then(() => result))
  }
}

/**
 * Runs after the write, so that what was deleted together wants nothing any more. By Dexie's own promises alone: it
 * knows its transaction by them, and after an `await` it may be lost.
 */
function drop(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: readonly string[],
): PromiseLike<void> {
  const keys = messageIds.map((id) => filePrefix + id)
  return notes.getMany({ trans, keys }).then((found) => {
    const kept = messageIds.filter((_, at) => found[at] !== undefined)
    if (kept.length === 0) return
    return findHeld({ documents, notes }, trans, new Set(kept)).then((held) => {
      const leaving = kept.filter((id) => !held.has(id)).map((id) => filePrefix + id)
      if (leaving.length === 0) return
      return notes.mutate({ type: 'delete', trans, keys: leaving }).then(({ failures }) => {
        for (const failure of Object.values(failures)) throw failure
      })
    })
  })
}

/** Which of these messages have the bytes that another one wants and has not itself? */
function findHeld(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: ReadonlySet<string>,
): PromiseLike<Set<string>> {
  return listWantedAddresses(documents, trans).then((wanting) => {
    const keys = wanting.map(({ mediaUrl }) => addressPrefix + mediaUrl)
    return notes.getMany({ trans, keys }).then((named: ({ messageId?: string } | undefined)[]) => {
      const candidates = wanting.flatMap(({ _id }, at) => {
        const holder = named[at]?.messageId
        return holder !== undefined && messageIds.has(holder) ? [{ _id, holder }] : []
      })
      const ownKeys = candidates.map(({ _id }) => filePrefix + _id)
      return notes
        .getMany({ trans, keys: ownKeys })
        .then(
          (own) =>
            new Set(candidates.flatMap(({ holder }, at) => (own[at] === undefined ? holder : []))),
        )
    })
  })
}

/** The starred and the unsent messages that have an address. */
function listWantedAddresses(
  documents: DBCoreTable,
  trans: DBCoreTransaction,
): PromiseLike<{ _id: string; mediaUrl: string }[]> {
  const queries = wantingRanges.map(({ index: keyPath, lower, upper }) => {
    const index = documents.schema.getIndexByKeyPath(keyPath)
    if (!index) throw new Error(`Messages have no index of ${keyPath.join(', ')}.`)
    const range = { type: rangeType, lower, upper }
    return documents.query({ trans, values: true, query: { index, range } })
  })
  return Dexie.Promise.all(queries).then((answers) =>
    answers
      .flatMap(({ result }) => result as readonly StoredMessage[])
      .flatMap(({ _id, mediaUrl }) => (mediaUrl === undefined ? [] : { _id, mediaUrl })),
  )
}
