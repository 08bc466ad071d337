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
 * Deletes a file in the same transaction that stores its message's deletion (P8), unless an unsent
 * or starred message shows the same file (P1): the cleanup removes it once no message needs it.
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
    // Its result is Dexie's own promise, which carries the transaction.
    return written.then((result) => drop(tables, trans, deleted).then(() => result))
  }
}

/**
 * Runs after the write, so that messages deleted together no longer hold on to the file. Uses only
 * Dexie's own promises: they carry the transaction, and an `await` may lose it.
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

/** Which of these messages store bytes that another message needs and does not store itself? */
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
