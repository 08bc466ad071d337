import type { ChangesPage, Document, Revisions, Seq, Stored } from './documents.ts'

/** A document as it is written: with a revision, and with its ancestry when written as replicated. */
export type DocumentWrite = Document & {
  _rev?: string
  _deleted?: boolean
  _revisions?: Revisions
}

/** CouchDB's words for what it refuses. */
export interface Failure {
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

/** One database by CouchDB's calls, here or on a CouchDB. */
export interface Database {
  /** Is it a CouchDB, where each call is a request? */
  readonly isRemote: boolean
  /** @throws with `status` 404 for a missing document or revision */
  get(id: string): Promise<Stored<Document>>
  get(id: string, options: { open_revs: 'all'; revs: true }): Promise<OpenRevision[]>
  get(id: string, options: { rev?: string; revs?: boolean }): Promise<Stored<Document>>
  /** @throws with `status` 409 unless the document follows what is stored */
  put(doc: DocumentWrite): Promise<{ rev: string }>
  /** Without `new_edits` revisions are stored as they are, and only failures are answered. */
  bulkDocs(
    docs: DocumentWrite[],
    options?: { new_edits?: boolean },
  ): Promise<({ id: string; rev: string; ok: true } | Failure)[]>
  /** The documents of these ids that exist. */
  readAll(ids: ReadonlySet<string>): Promise<Map<string, Stored<Document>>>
  allDocs(options: RangeOptions & { include_docs?: boolean }): Promise<{
    rows: { id: string; value: { rev: string }; doc?: Stored<Document> | null }[]
  }>
  changes(options: AskedChanges): Promise<ChangesPage<Document>>
  revsDiff(revs: Record<string, string[]>): Promise<Record<string, MissingRevisions>>
  /** With ancestry, and with files in base64. */
  bulkGet(
    docs: readonly { id: string; rev: string }[],
  ): Promise<{ results: { docs: ({ ok: DocumentWrite } | { error: Failure })[] }[] }>
  putAttachment(id: string, name: string, bytes: Buffer, type: string): Promise<{ rev: string }>
  getAttachment(id: string, name: string): Promise<Buffer>
  info(): Promise<{ doc_count: number; update_seq: Seq }>
}

export interface RangeOptions {
  startkey?: string
  endkey?: string
  limit?: number
  descending?: boolean
}

export interface AskedChanges {
  since?: Seq
  limit?: number
  include_docs?: boolean
  style?: 'main_only' | 'all_docs'
  descending?: boolean
}

/** CouchDB's `_revs_diff` row. */
export interface MissingRevisions {
  missing?: string[]
  possible_ancestors?: string[]
}

/** Is this the error for a missing document or revision? */
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

/** Is this the error for a concurrent write to the document? */
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
