import type { Response } from 'express'
import { slicesOf } from '../../schema/helpers/slices-of.ts'
import { limits } from '../../schema/limits.ts'
import { badRequest, tooLarge } from './couch-error.ts'
import { isStorableId } from './read-proposal.ts'
import { isRev, type Query, readFlag } from './read-query.ts'
import { sendList } from './send-list.ts'
import type { SyncDatabase } from './sync-database.ts'

const idsAtOnce = 50
const documentsAtOnce = 16
const revsPerDocument = 1_000
/** The size of one piece of an answer that repeats a document. */
const repeatedCharacters = 64 * 1024

/** CouchDB's `_revs_diff`: which of the client's revisions the server has never seen. */
export async function answerRevsDiff({ stored, turn }: SyncDatabase, body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must map ids to lists of revisions.')
  }
  const asked = Object.entries(body).map(([id, revs]) => [id, readRevs(revs)] as const)
  refuseTooMany(asked.length)
  const missing: [string, object][] = []
  for (const slice of slicesOf(asked, idsAtOnce)) {
    const storable = slice.filter(([id]) => isStorableId(id))
    const found = await turn(() => stored.findMissingRevisions(Object.fromEntries(storable)))
    const rest = slice.filter(([id]) => !isStorableId(id))
    missing.push(...Object.entries(found), ...rest.map(toMissing))
  }
  return Object.fromEntries(missing)
}

const toMissing = ([id, missing]: readonly [string, string[]]): [string, object] => [
  id,
  { missing },
]

/** CouchDB's `_bulk_get`, streamed. */
export async function answerBulkGet(options: {
  database: SyncDatabase
  body: unknown
  query: Query
  response: Response
}): Promise<void> {
  const { database, body, query, response } = options
  const docs: unknown = (body as { docs?: unknown } | undefined)?.docs
  if (!Array.isArray(docs)) throw badRequest('docs must be a list of ids and revisions')
  refuseTooMany(docs.length)
  const flags = { revs: readFlag(query, 'revs'), latest: readFlag(query, 'latest') }
  const pages = readDocuments(database, docs.map(readAsked), flags)
  const first = await pages.next()
  await sendList(response, { head: '{"results":[\n', tail: '\n]}\n', first, pages })
}

interface Asked {
  id: string
  rev?: string
}

async function* readDocuments(
  { stored, turn }: SyncDatabase,
  asked: readonly Asked[],
  flags: { revs: boolean; latest: boolean },
): AsyncGenerator<string[], void> {
  // Reads and serialises repeated requests once.
  const distinct = [...new Map(asked.map((one) => [`${one.id} ${one.rev}`, one])).values()]
  const times = new Map<string, number>()
  for (const { id, rev } of asked) {
    const key = `${id} ${rev}`
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  for (const slice of slicesOf(distinct, documentsAtOnce)) {
    const storable = slice.filter(({ id }) => isStorableId(id))
    const found =
      storable.length > 0 ? await turn(() => stored.bulkGet({ docs: storable, ...flags })) : []
    const rows = new Map(storable.map((one, index) => [one, JSON.stringify(found[index])]))
    const once: string[] = []
    for (const one of slice) {
      const row = rows.get(one) ?? JSON.stringify(describeMissing(one))
      once.push(row)
      const again = (times.get(`${one.id} ${one.rev}`) ?? 1) - 1
      const atOnce = Math.max(1, Math.floor(repeatedCharacters / row.length))
      // Writing a thousand repeats is work too, and takes turns like any other.
      for (let left = again; left > 0; left -= atOnce) {
        yield await turn(async () => Array(Math.min(left, atOnce)).fill(row))
      }
    }
    yield once
  }
}

function describeMissing({ id, rev }: Asked) {
  const error = { id, ...(rev ? { rev } : {}), error: 'not_found', reason: 'missing' }
  return { id, docs: [{ error }] }
}

function readAsked(asked: unknown): Asked {
  const { id, rev } = (asked ?? {}) as { id?: unknown; rev?: unknown }
  if (typeof id !== 'string') throw badRequest('Each of docs needs an id')
  if (rev === undefined) return { id }
  if (!isRev(rev)) throw badRequest('Invalid rev format')
  return { id, rev }
}

function readRevs(revs: unknown): string[] {
  if (!Array.isArray(revs)) throw badRequest('Revisions must be a list of texts.')
  if (revs.length > revsPerDocument) {
    throw tooLarge(`At most ${revsPerDocument} revisions of a document can be asked for at once.`)
  }
  if (revs.every(isRev)) return revs
  throw badRequest('Invalid rev format')
}

function refuseTooMany(count: number) {
  if (count <= limits.syncBatchMaxDocuments) return
  throw tooLarge(`At most ${limits.syncBatchMaxDocuments} documents can be asked for at once.`)
}
