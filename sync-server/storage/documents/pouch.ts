import LevelAdapter from 'pouchdb-adapter-leveldb-core'
import PouchDB from 'pouchdb-core'
import type { ChangesPage, Document, Revisions, Seq, Stored } from './documents.ts'

/** A document for PouchDB: with a revision, and with its ancestry when written as replicated. */
export type PouchWrite = Document & { _rev?: string; _deleted?: boolean; _revisions?: Revisions }

export interface PouchFailure {
  id?: string
  rev?: string
  status?: number
  error?: boolean | string
  name?: string
  message?: string
  reason?: string
}

export type OpenRevision =
  | { ok: Stored<Document> & { _revisions?: Revisions; _deleted?: boolean } }
  | { missing: string }

/** The part of PouchDB's interface that storage uses. */
export interface Pouch {
  readonly adapter: string
  setMaxListeners(count: number): void
  get(id: string): Promise<Stored<Document>>
  get(id: string, options: { open_revs: 'all'; revs: true }): Promise<OpenRevision[]>
  get(id: string, options: { rev?: string; revs?: boolean }): Promise<Stored<Document>>
  put(doc: PouchWrite): Promise<{ rev: string }>
  bulkDocs(
    docs: PouchWrite[],
    options?: { new_edits: boolean },
  ): Promise<({ id: string; rev: string; ok: true } | PouchFailure)[]>
  allDocs(options: object): Promise<{
    total_rows: number
    rows: { id: string; value: { rev: string }; doc?: Stored<Document> | null; error?: string }[]
  }>
  changes(options: object): Promise<ChangesPage<Document>>
  revsDiff(
    revs: Record<string, string[]>,
  ): Promise<Record<string, { missing?: string[]; possible_ancestors?: string[] }>>
  bulkGet(options: {
    docs: readonly { id: string; rev: string }[]
    revs: true
    attachments: true
  }): Promise<{ results: { docs: ({ ok: PouchWrite } | { error: PouchFailure })[] }[] }>
  putAttachment(id: string, name: string, bytes: Buffer, type: string): Promise<{ rev: string }>
  getAttachment(id: string, name: string): Promise<Buffer | Blob>
  info(): Promise<{ doc_count: number; update_seq: Seq }>
  close(): Promise<void>
  destroy(): Promise<unknown>
}

/** PouchDB's own leveldb adapter without its bundled leveldown: `db` supplies the layer beneath. */
function leveldb(this: object, options: object, done: () => void) {
  LevelAdapter.call(this, options, done)
}
leveldb.valid = () => true
leveldb.use_prefix = false

const Connection = PouchDB.plugin((pouch: PouchWithAdapters) => {
  pouch.adapter('leveldb', leveldb, true)
})

interface PouchWithAdapters {
  adapter(name: string, adapter: typeof leveldb, isPreferred: boolean): void
}

/** Opens a database in LevelDB. */
export async function openPouch(name: string, options: object): Promise<Pouch> {
  const pouch = connect(name, options)
  await pouch.info()
  return pouch
}

/** A database as its adapter opens it, without a request. */
export function connect(name: string, options: object): Pouch {
  // The published types lack `db`, `open_revs` with `latest`, and rows with errors.
  const pouch = new Connection(name, options) as unknown as Pouch
  // Every changes read listens for the database's end; many at once are no leak.
  pouch.setMaxListeners(0)
  return pouch
}

/** Is this PouchDB's error for a missing document or revision? */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404
}

/** The result of a read, or undefined when missing. */
export async function orUndefined<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Is this PouchDB's error for a concurrent write to the document? */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409
}

/** Is this CouchDB's error for an invalid request? */
export function isRefused(error: unknown): boolean {
  return statusOf(error) === 400
}

function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
}
