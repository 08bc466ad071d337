import type {
  DBCore,
  DBCoreMutateRequest,
  DBCoreRangeType,
  DBCoreTable,
  DBCoreTransaction,
  Dexie,
} from 'dexie'
import { noteTable } from '../accompany-writes.ts'
import type { StoredMessage } from '../stored-message.ts'
import { addressPrefix } from './file-shelf.ts'
import { wantingRanges } from './find-wanted-files.ts'
import { filePrefix } from './kept-file.ts'

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

/** Runs after the write, so that what was deleted together wants nothing any more. */
async function drop(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: readonly string[],
): Promise<void> {
  const keys = messageIds.map((id) => filePrefix + id)
  const found = await notes.getMany({ trans, keys })
  const kept = messageIds.filter((_, at) => found[at] !== undefined)
  if (kept.length === 0) return
  const held = await findHeld({ documents, notes }, trans, new Set(kept))
  const leaving = kept.filter((id) => !held.has(id)).map((id) => filePrefix + id)
  if (leaving.length === 0) return
  const { failures } = await notes.mutate({ type: 'delete', trans, keys: leaving })
  for (const failure of Object.values(failures)) throw failure
}

/** Which of these messages have the bytes that another one wants and has not itself? */
async function findHeld(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const wanting = await listWantedAddresses(documents, trans)
  const keys = wanting.map(({ mediaUrl }) => addressPrefix + mediaUrl)
  const named: ({ messageId?: string } | undefined)[] = await notes.getMany({ trans, keys })
  const candidates = wanting.flatMap(({ _id }, at) => {
    const holder = named[at]?.messageId
    return holder !== undefined && messageIds.has(holder) ? [{ _id, holder }] : []
  })
  const ownKeys = candidates.map(({ _id }) => filePrefix + _id)
  const own = await notes.getMany({ trans, keys: ownKeys })
  return new Set(candidates.flatMap(({ holder }, at) => (own[at] === undefined ? holder : [])))
}

/** The starred and the unsent messages that have an address. */
async function listWantedAddresses(
  documents: DBCoreTable,
  trans: DBCoreTransaction,
): Promise<{ _id: string; mediaUrl: string }[]> {
  const found = await Promise.all(
    wantingRanges.map(async ({ index: keyPath, lower, upper }) => {
      const index = documents.schema.getIndexByKeyPath(keyPath)
      if (!index) throw new Error(`Messages have no index of ${keyPath.join(', ')}.`)
      const range = { type: rangeType, lower, upper }
      const query = { trans, values: true, query: { index, range } }
      const stored: readonly StoredMessage[] = (await documents.query(query)).result
      return stored
    }),
  )
  return found
    .flat()
    .flatMap(({ _id, mediaUrl }) => (mediaUrl === undefined ? [] : { _id, mediaUrl }))
}
