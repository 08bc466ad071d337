import { limits } from '../../schema/limits.ts'
import type { BulkGetRow } from '../storage/bulk-get.ts'
import { badRequest, tooLarge } from './couch-error.ts'
import { isStorableId } from './read-proposal.ts'
import { type Query, readFlag } from './read-query.ts'
import type { SyncDatabase } from './sync-database.ts'

/** CouchDB's `_revs_diff`: which of the client's revisions have never been seen here. */
export async function answerRevsDiff({ stored }: SyncDatabase, body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must map ids to lists of revisions.')
  }
  const asked = Object.entries(body).map(([id, revs]) => [id, readRevs(revs)] as const)
  refuseTooMany(asked.length)
  const storable = asked.filter(([id]) => isStorableId(id))
  const found = await stored.findMissingRevisions(Object.fromEntries(storable))
  const rest = asked.filter(([id]) => !isStorableId(id))
  return Object.fromEntries([
    ...Object.entries(found),
    ...rest.map(([id, missing]) => [id, { missing }] as const),
  ])
}

/** CouchDB's `_bulk_get`. */
export async function answerBulkGet({ stored }: SyncDatabase, body: unknown, query: Query) {
  const docs: unknown = (body as { docs?: unknown } | undefined)?.docs
  if (!Array.isArray(docs)) throw badRequest('docs must be a list of ids and revisions')
  refuseTooMany(docs.length)
  const asked = docs.map(readAsked)
  const storable = asked.filter(({ id }) => isStorableId(id))
  const revs = readFlag(query, 'revs')
  const latest = readFlag(query, 'latest')
  const found = storable.length > 0 ? await stored.bulkGet({ docs: storable, revs, latest }) : []
  const rest = asked.filter(({ id }) => !isStorableId(id)).map(toMissing)
  return { results: [...found, ...rest] }
}

function toMissing({ id, rev }: { id: string; rev?: string }): BulkGetRow {
  return {
    id,
    docs: [{ error: { id, ...(rev ? { rev } : {}), error: 'not_found', reason: 'missing' } }],
  }
}

function readAsked(asked: unknown): { id: string; rev?: string } {
  const { id, rev } = (asked ?? {}) as { id?: unknown; rev?: unknown }
  if (typeof id !== 'string') throw badRequest('Each of docs needs an id')
  return typeof rev === 'string' ? { id, rev } : { id }
}

function readRevs(revs: unknown): string[] {
  if (Array.isArray(revs) && revs.every((rev) => typeof rev === 'string')) return revs
  throw badRequest('Revisions must be a list of texts.')
}

function refuseTooMany(count: number) {
  if (count <= limits.syncBatchMaxDocuments) return
  throw tooLarge(`At most ${limits.syncBatchMaxDocuments} documents can be asked for at once.`)
}
