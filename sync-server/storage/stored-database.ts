import {
  type AskedChanges,
  type Database,
  type Failure,
  isConflict,
  isMissing,
  isRefused,
  type MissingRevisions,
  type OpenRevision,
  orUndefined,
  type RangeOptions,
} from './documents/database.ts'
import type { TallyingHome } from './documents/database-home.ts'
import type { ChangesPage, Document, Seq, Stored } from './documents/documents.ts'
import type { WantedWrites } from './documents/draft-writes.ts'
import { listRevs } from './documents/grow-branch.ts'
import {
  readLeaves,
  readOpenRevisions,
  readRevision,
  type StoredRevision,
} from './documents/read-revisions.ts'
import { type UpdateOutcome, updateOne } from './documents/update-one.ts'

/** A place as storage gives it: LevelDB a number, CouchDB a number and opaque characters. */
const placePattern = /^\d{1,15}-[\w-]+={0,2}$/

/**
 * A pure function from the stored documents (by id, without `_rev`; omits missing ones) to the next
 * state. May run several times, after each concurrent write.
 */
export type Decide<Body extends Document, Result> = (
  stored: ReadonlyMap<string, Body>,
) => WantedWrites<Body> & { result: Result }

/**
 * One database: each call opens it if needed, and creates it if missing. Calls are independent;
 * nothing has to be closed.
 */
export interface StoredDatabase<Body extends Document> {
  readonly name: string
  /** The existing documents, by id. */
  read(ids: readonly string[]): Promise<Map<string, Stored<Body>>>
  /**
   * Reads `ids`, runs `decide`, and stores its result: all updates of a database go through here,
   * in turn.
   */
  update<Result>(
    ids: readonly string[],
    decide: Decide<Body, Result>,
  ): Promise<UpdateOutcome<Result>>
  /**
   * Creates a document. `{ isInserted: false }` when its id exists already; leaves that one
   * unchanged.
   */
  insert(doc: Body): Promise<{ isInserted: boolean }>
  /** Documents with `startkey <= _id <= endkey`; descending ones from `startkey` down to `endkey`, as in CouchDB. */
  range(options: RangeOptions): Promise<Stored<Body>[]>
  /** As `range`, but only ids and revisions. */
  listRevs(options: RangeOptions): Promise<{ _id: string; _rev: string }[]>
  /** Treats a `since` that this database's history lacks as its beginning. */
  changes(options: ChangesOptions): Promise<ChangesPage<Body>>
  updateSeq(): Promise<Seq>
  /** What its writes have added to its tally since its creation. */
  readTally(): Promise<number>
  info(): Promise<{ docCount: number; updateSeq: Seq }>
  /** The revisions that the database has never seen; a compacted one counts as seen. */
  findMissingRevisions(revs: Record<string, string[]>): Promise<Record<string, MissingRevisions>>
  /** CouchDB's `_bulk_get`. */
  bulkGet(options: BulkGetOptions): Promise<BulkGetRow[]>
  /** One revision, by default the winning one; undefined if missing. */
  readRevision(
    id: string,
    options: { rev?: string; revs?: boolean; latest?: boolean },
  ): Promise<Stored<Body> | undefined>
  /** One document's leaves as CouchDB's `open_revs` answers them; undefined if it never existed. */
  readOpenRevisions(
    id: string,
    options: { openRevs: 'all' | string[]; revs?: boolean; latest?: boolean },
  ): Promise<OpenRevision[] | undefined>
  /** An unreplicated document, by its id without `_local/`. */
  readLocal(id: string): Promise<Record<string, unknown> | undefined>
  /**
   * Stores one. `undefined` when `doc._rev` is not its current revision, else the new revision. On
   * CouchDB the later of two concurrent writes may overwrite the other.
   */
  writeLocal(id: string, doc: Record<string, unknown>): Promise<string | undefined>
  /** Removes one; a missing one is no error. */
  removeLocal(id: string): Promise<void>
}

interface ChangesOptions {
  since?: Seq
  limit?: number
  includeDocs?: boolean
  style?: 'main_only' | 'all_docs'
  descending?: boolean
}

export function createStoredDatabase(options: {
  name: string
  home: TallyingHome
}): StoredDatabase<Document> {
  const { name, home } = options
  const use = <Result>(work: (database: Database) => Promise<Result>) => home.use(name, work)

  const update = <Result>(ids: readonly string[], decide: Decide<Document, Result>) =>
    updateOne(home, name, { ids, decide })

  return {
    name,
    read: (ids) => home.read(name, ids),
    update,
    async insert(doc) {
      const { result } = await update<boolean>([doc._id], (stored) =>
        stored.has(doc._id) ? { result: false } : { put: [doc], result: true },
      )
      return { isInserted: result }
    },
    range: (range) => use((database) => readRange(database, range)),
    listRevs: (range) =>
      use(async (database) => {
        const { rows } = await database.allDocs(range)
        return rows.map(({ id, value: { rev } }) => ({ _id: id, _rev: rev }))
      }),
    changes: ({ includeDocs = false, ...rest }) => {
      const asked = { ...rest, include_docs: includeDocs }
      return use((database) => readChanges(database, asked, () => home.readSeq(name)))
    },
    updateSeq: () => home.readSeq(name),
    readTally: () => home.readTally(name),
    info: () =>
      use(async (database) => {
        const { doc_count, update_seq } = await database.info()
        return { docCount: doc_count, updateSeq: update_seq }
      }),
    findMissingRevisions: (revs) => use((database) => findMissingRevisions(database, revs)),
    bulkGet: (asked) => use((database) => bulkGet(database, asked)),
    readRevision: (id, asked) => use((database) => readRevision(database, id, asked)),
    readOpenRevisions: (id, asked) => use((database) => readOpenRevisions(database, id, asked)),
    readLocal: (id) =>
      use(async (database) => {
        const doc = await orUndefined(database.get(`_local/${id}`))
        return doc && { ...doc }
      }),
    writeLocal: (id, doc) =>
      use(async (database) => {
        // CouchDB does not compare revisions of these documents.
        const stored = database.isRemote ? await orUndefined(database.get(`_local/${id}`)) : doc
        if (stored?._rev !== doc._rev) return undefined
        try {
          return (await database.put({ ...doc, _id: `_local/${id}` })).rev
        } catch (error) {
          if (isConflict(error)) return undefined
          throw error
        }
      }),
    removeLocal: (id) =>
      use(async (database) => {
        const _id = `_local/${id}`
        const doc = await orUndefined(database.get(_id))
        if (!doc) return
        await database.put({ _id, _rev: doc._rev, _deleted: true }).catch((error: unknown) => {
          if (!isConflict(error) && !isMissing(error)) throw error
        })
      }),
  }
}

/** The documents of a range of ids, in its order. */
async function readRange(database: Database, range: RangeOptions): Promise<Stored<Document>[]> {
  const { rows } = await database.allDocs({ ...range, include_docs: true })
  return rows.flatMap((row) => (row.doc ? [row.doc] : []))
}

/**
 * pouchdb-server reports compacted revisions as missing; CouchDB and LevelDB do not. Here every
 * stored revision is a child of a pushed one, so its rule would request the same revision from a
 * client over and over.
 */
async function findMissingRevisions(
  database: Database,
  revs: Record<string, string[]>,
): Promise<Record<string, MissingRevisions>> {
  const reported = await database.revsDiff(revs)
  if (!database.isRemote) return reported
  const entries = await Promise.all(
    Object.entries(reported).map(async ([id, row]) => {
      const leaves = await readLeaves(database, id)
      const seen = new Set(leaves.flatMap((leaf) => listRevs(leaf.revisions)))
      return [id, { ...row, missing: row.missing?.filter((rev) => !seen.has(rev)) }] as const
    }),
  )
  return Object.fromEntries(entries.filter(([, row]) => row.missing && row.missing.length > 0))
}

interface BulkGetOptions {
  docs: readonly { id: string; rev?: string }[]
  /** Includes each document's ancestry, as `_revisions`. */
  revs?: boolean
  /** Returns the leaf that grew from a revision instead of the revision. */
  latest?: boolean
}

interface BulkGetRow {
  id: string
  docs: ({ ok: StoredRevision } | { error: Failure })[]
}

/** CouchDB's `_bulk_get`: a row for each request, in order; reads repeated ones once. */
async function bulkGet(
  database: Database,
  { docs, revs = false, latest = false }: BulkGetOptions,
): Promise<BulkGetRow[]> {
  const reads = new Map<string, Promise<StoredRevision | undefined>>()
  return await Promise.all(
    docs.map(async ({ id, rev }) => {
      const key = `${id} ${rev}`
      const read = reads.get(key) ?? readRevision(database, id, { rev, revs, latest })
      reads.set(key, read)
      const ok = await read
      const missing = { id, ...(rev && { rev }), error: 'not_found', reason: 'missing' }
      return { id, docs: [ok ? { ok } : { error: missing }] }
    }),
  )
}

/**
 * Changes after a place. A place that this history lacks, as after a move between LevelDB and
 * CouchDB or after a restore, would hide new changes: treats it as the beginning.
 * @param readSeq reads the database's current place
 */
async function readChanges(
  database: Database,
  { since = 0, ...asked }: AskedChanges,
  readSeq: () => Promise<Seq>,
): Promise<ChangesPage<Document>> {
  const read = async (place: Seq) => {
    const { results, last_seq } = await database.changes({ ...asked, since: place })
    return { results, last_seq }
  }
  const isHere = async () => isAtMost(since, await readSeq())

  if (since === 0 || !isPlace(since)) return await read(0)
  if (!database.isRemote) return await read((await isHere()) ? since : 0)
  const page = await read(since).catch((error: unknown) => {
    if (!isRefused(error)) throw error
    return undefined
  })
  if (!page) return await read(0)
  // CouchDB itself rejects unknown places. pouchdb-server, which uses numbers, returns nothing.
  const isCounted = typeof page.last_seq === 'number'
  return page.results.length > 0 || !isCounted || (await isHere()) ? page : await read(0)
}

function isPlace(since: Seq): boolean {
  return typeof since === 'number' ? Number.isSafeInteger(since) : placePattern.test(since)
}

function isAtMost(since: Seq, newest: Seq): boolean {
  return typeof since === 'number' && since <= Number(newest)
}
