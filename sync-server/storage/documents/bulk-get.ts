import type { Pouch, PouchFailure } from './pouch.ts'
import { readRevision, type StoredRevision } from './read-revisions.ts'

export interface BulkGetOptions {
  docs: readonly { id: string; rev?: string }[]
  /** With each document's ancestry, as `_revisions`. */
  revs?: boolean
  /** The leaf that a revision has grown into, in place of the revision. */
  latest?: boolean
}

export interface BulkGetRow {
  id: string
  docs: ({ ok: StoredRevision } | { error: PouchFailure })[]
}

/** CouchDB's `_bulk_get`: a row for each that is asked for, in their order; each is read once, however often. */
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
