import type { Pouch, PouchFailure } from './pouch.ts'
import { readRevision, type StoredRevision } from './read-revisions.ts'

export interface BulkGetOptions {
  docs: readonly { id: string; rev?: string }[]
  /** Includes each document's ancestry, as `_revisions`. */
  revs?: boolean
  /** Returns the leaf that grew from a revision instead of the revision. */
  latest?: boolean
}

export interface BulkGetRow {
  id: string
  docs: ({ ok: StoredRevision } | { error: PouchFailure })[]
}

/** CouchDB's `_bulk_get`: a row for each request, in order; reads repeated ones once. */
export async function bulkGet(
  pouch: Pouch,
  { docs, revs = false, latest = false }: BulkGetOptions,
): Promise<BulkGetRow[]> {
  const reads = new Map<string, Promise<StoredRevision | undefined>>()
  return await Promise.all(
    docs.map(async ({ id, rev }) => {
      const key = `${id} ${rev}`
      const read = reads.get(key) ?? readRevision(pouch, id, { rev, revs, latest })
      reads.set(key, read)
      const ok = await read
      const missing = { id, ...(rev && { rev }), error: 'not_found', reason: 'missing' }
      return { id, docs: [ok ? { ok } : { error: missing }] }
    }),
  )
}
