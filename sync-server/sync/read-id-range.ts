import { createPageSize } from './page-size.ts'
import { type Query, readCount, readFlag, readJson } from './read-query.ts'
import type { SyncDatabase } from './sync-database.ts'

/** A range of ids as JSON rows for `_all_docs`, page by page. */
export async function* readIdRange(
  { stored, turn }: SyncDatabase,
  query: Query,
  { includeDocs }: { includeDocs: boolean },
): AsyncGenerator<string[], void> {
  const key = readKey(query, 'key')
  const endkey = key ?? readKey(query, 'endkey') ?? readKey(query, 'end_key')
  const descending = readFlag(query, 'descending')
  const isOpenEnded = query.get('inclusive_end') === 'false' || query.get('inclusive_end') === false
  let skip = readCount(query, 'skip') ?? 0
  let left = readCount(query, 'limit') ?? Number.POSITIVE_INFINITY
  let startkey = key ?? readKey(query, 'startkey') ?? readKey(query, 'start_key')
  let last: string | undefined
  const size = createPageSize()

  while (left > 0) {
    const limit = size.rows() + 1
    const range = {
      ...(startkey === undefined ? {} : { startkey }),
      ...(endkey === undefined ? {} : { endkey }),
      // The page begins with the last document of the one before it.
      limit,
      descending,
    }
    const page = await turn(() =>
      includeDocs && skip === 0 ? stored.range(range) : stored.listRevs(range),
    )
    const fresh = page.filter(({ _id }) => _id !== last && !(isOpenEnded && _id === endkey))
    const wanted = fresh.slice(skip, skip + left)
    const isSkipping = includeDocs && skip > 0
    skip -= Math.min(skip, fresh.length)
    const docs = isSkipping
      ? [...(await turn(() => stored.read(wanted.map(({ _id }) => _id)))).values()]
      : wanted
    const rows = docs.map((doc) => toRow(doc, includeDocs))
    size.record(
      rows.length,
      rows.reduce((sum, row) => sum + row.length, 0),
    )
    left -= rows.length
    yield rows
    if (page.length < limit) return
    last = page.at(-1)?._id
    startkey = last
  }
}

function toRow(doc: { _id: string; _rev: string }, includeDocs: boolean): string {
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return JSON.stringify(includeDocs ? { ...row, doc } : row)
}

function readKey(query: Query, name: string): string | undefined {
  const key = readJson(query, name)
  return typeof key === 'string' ? key : undefined
}
