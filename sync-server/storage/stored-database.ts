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
import { readRange } from './read-range.ts'

/**
 * A pure function from the stored documents (by id, without `_rev`; absent ones are not in the map) to what is next.
 * It may run several times: whenever somebody else has written in between.
 */
export type Decide<Body extends Document, Result> = (
  stored: ReadonlyMap<string, Body>,
) => WantedWrites<Body> & { result: Result }

/**
 * One database: opened at each call when it is not open, and made when it is not there.
 * Each call stands for itself; nothing has to be closed.
 */
export interface StoredDatabase<Body extends Document> {
  readonly name: string
  /** The documents that are there, by id. */
  read(ids: readonly string[]): Promise<Map<string, Stored<Body>>>
  /** Reads `ids`, lets `decide` say what is next, and stores that: all updates of a database pass here, in turn. */
  update<Result>(
    ids: readonly string[],
    decide: Decide<Body, Result>,
  ): Promise<UpdateOutcome<Result>>
  /** Creates a document. `{ isInserted: false }` when one with its id is there already; that one stays as it is. */
  insert(doc: Body): Promise<{ isInserted: boolean }>
  /** Documents with `startkey <= _id <= endkey`; descending ones from `startkey` down to `endkey`, as in CouchDB. */
  range(options: RangeOptions): Promise<Stored<Body>[]>
  /** As `range`, but only what each is called. */
  listRevs(options: RangeOptions): Promise<{ _id: string; _rev: string }[]>
  /** A `since` that this database's history does not have is its beginning. */
  changes(options: ChangesOptions): Promise<ChangesPage<Body>>
  updateSeq(): Promise<Seq>
  /** What its writes have added to its tally since it was made. */
  readTally(): Promise<number>
  info(): Promise<{ docCount: number; updateSeq: Seq }>
  /** Which of these revisions the database has never seen; a compacted one counts as seen. */
  findMissingRevisions(revs: Record<string, string[]>): Promise<Record<string, MissingRevisions>>
  /** CouchDB's `_bulk_get`. */
  bulkGet(options: BulkGetOptions): Promise<BulkGetRow[]>
  /** One revision, by default the winning one; undefined when it is not there. */
  readRevision(
    id: string,
    options: { rev?: string; revs?: boolean; latest?: boolean },
  ): Promise<Stored<Body> | undefined>
  /** Leaves of one document as CouchDB's `open_revs` answers them; undefined when it was never there. */
  readOpenRevisions(
    id: string,
    options: { openRevs: 'all' | string[]; revs?: boolean; latest?: boolean },
  ): Promise<OpenRevision[] | undefined>
  /** A document that is not replicated, by its id without `_local/`. */
  readLocal(id: string): Promise<Record<string, unknown> | undefined>
  /**
   * Stores one. `undefined` when `doc._rev` is not its current revision, else the new revision. Of two that come at the
   * same time on CouchDB, the later one may be stored over the other.
   */
  writeLocal(id: string, doc: Record<string, unknown>): Promise<string | undefined>
  /** Takes one away; one that is not there is no error. */
  removeLocal(id: string): Promise<void>
}

export interface RangeOptions {
  startkey?: string
  endkey?: string
  limit?: number
  descending?: boolean
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
        // CouchDB compares no revisions of these documents.
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
