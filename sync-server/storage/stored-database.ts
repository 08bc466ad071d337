import type { TallyingHome } from './databases/database-home.ts'
import { type UpdateOutcome, updateOne } from './databases/update-one.ts'
import { type BulkGetOptions, type BulkGetRow, bulkGet } from './documents/bulk-get.ts'
import type { ChangesPage, Document, Seq, Stored } from './documents/documents.ts'
import type { WantedWrites } from './documents/draft-writes.ts'
import { findMissingRevisions, type MissingRevisions } from './documents/find-missing-revisions.ts'
import {
  isConflict,
  isMissing,
  type OpenRevision,
  orUndefined,
  type Pouch,
} from './documents/pouch.ts'
import { readChanges } from './documents/read-changes.ts'
import { readOpenRevisions, readRevision } from './documents/read-revisions.ts'
import type { RangeOptions } from './range-options.ts'
import { readRange } from './read-range.ts'

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
  const use = <Result>(work: (pouch: Pouch) => Promise<Result>) => home.use(name, work)

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
    range: (range) => use((pouch) => readRange(pouch, range)),
    listRevs: (range) =>
      use(async (pouch) => {
        const { rows } = await pouch.allDocs(range)
        return rows.map(({ id, value: { rev } }) => ({ _id: id, _rev: rev }))
      }),
    changes: ({ includeDocs = false, ...rest }) => {
      const asked = { ...rest, include_docs: includeDocs }
      return use((pouch) => readChanges(pouch, asked, () => home.readSeq(name)))
    },
    updateSeq: () => home.readSeq(name),
    readTally: () => home.readTally(name),
    info: () =>
      use(async (pouch) => {
        const { doc_count, update_seq } = await pouch.info()
        return { docCount: doc_count, updateSeq: update_seq }
      }),
    findMissingRevisions: (revs) => use((pouch) => findMissingRevisions(pouch, revs)),
    bulkGet: (asked) => use((pouch) => bulkGet(pouch, asked)),
    readRevision: (id, asked) => use((pouch) => readRevision(pouch, id, asked)),
    readOpenRevisions: (id, asked) => use((pouch) => readOpenRevisions(pouch, id, asked)),
    readLocal: (id) =>
      use(async (pouch) => {
        const doc = await orUndefined(pouch.get(`_local/${id}`))
        return doc && { ...doc }
      }),
    writeLocal: (id, doc) =>
      use(async (pouch) => {
        // CouchDB does not compare revisions of these documents.
        const stored = pouch.adapter === 'http' ? await orUndefined(pouch.get(`_local/${id}`)) : doc
        if (stored?._rev !== doc._rev) return undefined
        try {
          return (await pouch.put({ ...doc, _id: `_local/${id}` })).rev
        } catch (error) {
          if (isConflict(error)) return undefined
          throw error
        }
      }),
    removeLocal: (id) =>
      use(async (pouch) => {
        const _id = `_local/${id}`
        const doc = await orUndefined(pouch.get(_id))
        if (!doc) return
        await pouch.put({ _id, _rev: doc._rev, _deleted: true }).catch((error: unknown) => {
          if (!isConflict(error) && !isMissing(error)) throw error
        })
      }),
  }
}
