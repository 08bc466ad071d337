import type { StoredDatabase } from '../storage/create-stored-database.ts'
import type { Document, Stored } from '../storage/documents.ts'
import { type Query, readCount, readFlag, readJson } from './read-query.ts'

const rowsAtOnce = 500

/** The documents of a range of ids, as `_all_docs` asks for it, page by page. No page is empty. */
export async function* readIdRange(
  stored: StoredDatabase<Document>,
  query: Query,
): AsyncGenerator<Stored<Document>[], void> {
  const key = readKey(query, 'key')
  const endkey = key ?? readKey(query, 'endkey') ?? readKey(query, 'end_key')
  const descending = readFlag(query, 'descending')
  const isOpenEnded = query.get('inclusive_end') === 'false' || query.get('inclusive_end') === false
  let skip = readCount(query, 'skip') ?? 0
  let left = readCount(query, 'limit') ?? Number.POSITIVE_INFINITY
  let startkey = key ?? readKey(query, 'startkey') ?? readKey(query, 'start_key')
  let last: string | undefined

  while (left > 0) {
    const page = await stored.range({
      ...(startkey === undefined ? {} : { startkey }),
      ...(endkey === undefined ? {} : { endkey }),
      // The page begins with the last document of the one before it.
      limit: rowsAtOnce + 1,
      descending,
    })
    const fresh = page.filter(({ _id }) => _id !== last && !(isOpenEnded && _id === endkey))
    const rows = fresh.slice(skip, skip + left)
    skip -= Math.min(skip, fresh.length)
    left -= rows.length
    if (rows.length > 0) yield rows
    if (page.length <= rowsAtOnce) return
    last = page.at(-1)?._id
    startkey = last
  }
}

function readKey(query: Query, name: string): string | undefined {
  const key = readJson(query, name)
  return typeof key === 'string' ? key : undefined
}
