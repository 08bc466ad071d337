import type { Document, Revisions, Stored } from './documents.ts'
import type { Pouch, PouchFailure } from './pouch.ts'

export interface BulkGetOptions {
  docs: readonly { id: string; rev?: string }[]
  /** With each document's ancestry, as `_revisions`. */
  revs?: boolean
  /** The leaf that a revision has grown into, in place of the revision. */
  latest?: boolean
}

export interface BulkGetRow {
  id: string
  docs: ({ ok: Stored<Document> & { _revisions?: Revisions } } | { error: PouchFailure })[]
}

/** CouchDB's `_bulk_get`, with CouchDB's form for what is not there also on LevelDB. */
export async function bulkGet(pouch: Pouch, options: BulkGetOptions): Promise<BulkGetRow[]> {
  const { results } = await pouch.bulkGet(options)
  return results.map(({ id, docs }) => ({
    id,
    docs: docs.map((doc) => {
      if (!('missing' in doc)) return doc
      return { error: { id, rev: doc.missing, error: 'not_found', reason: 'missing' } }
    }),
  }))
}
