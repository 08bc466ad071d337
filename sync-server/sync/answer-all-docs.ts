import type { Response } from 'express'
import { slicesOf } from '../../schema/helpers/slices-of.ts'
import { limits } from '../../schema/limits.ts'
import type { Document, Stored } from '../storage/documents/documents.ts'
import { tooLarge } from './couch-error.ts'
import { readIdRange } from './read-id-range.ts'
import { isStorableId } from './read-proposal.ts'
import { type Query, readFlag, readTexts } from './read-query.ts'
import { sendList } from './send-list.ts'
import type { SyncDatabase } from './sync-database.ts'

const keysAtOnce = 16
const keptCharacters = 1024 * 1024

/**
 * CouchDB's `_all_docs`: by `keys`, or a range of ids, streamed. These databases never contain
 * removed documents, so `deleted: 'ok'` adds nothing.
 */
export async function answerAllDocs(options: {
  database: SyncDatabase
  query: Query
  response: Response
}): Promise<void> {
  const { database, query, response } = options
  const includeDocs = readFlag(query, 'include_docs')
  const keys = readTexts(query, 'keys')
  const pages = keys
    ? readKeys(database, keys, includeDocs)
    : readIdRange(database, query, { includeDocs })
  const first = await pages.next()
  const { docCount } = await database.stored.info()
  await sendList(response, {
    head: `{"total_rows":${docCount},"offset":0,"rows":[\n`,
    tail: '\n]}\n',
    first,
    pages,
  })
}

async function* readKeys(
  { stored, turn }: SyncDatabase,
  keys: readonly string[],
  includeDocs: boolean,
): AsyncGenerator<string[], void> {
  if (keys.length > limits.syncBatchMaxDocuments) {
    throw tooLarge(`At most ${limits.syncBatchMaxDocuments} keys can be asked for at once.`)
  }
  const kept = createKeptRows(keys)
  for (const slice of slicesOf(keys, keysAtOnce)) {
    const unread = slice.filter((key) => isStorableId(key) && kept.find(key) === undefined)
    const found =
      unread.length > 0
        ? await turn(() => stored.read(unread))
        : new Map<string, Stored<Document>>()
    yield slice.map((key) => {
      const row = kept.find(key) ?? toRow(key, found.get(key), includeDocs)
      kept.record(key, row)
      return row
    })
  }
}

/** Rows of keys repeated in one request: read and serialised once, up to a megabyte in total. */
function createKeptRows(keys: readonly string[]) {
  const left = new Map<string, number>()
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1)
  const rows = new Map<string, string>()
  const state = { characters: 0 }

  return {
    find: (key: string) => rows.get(key),
    /** Call for each row sent. */
    record(key: string, row: string) {
      const again = (left.get(key) ?? 1) - 1
      left.set(key, again)
      if (again === 0 && rows.delete(key)) state.characters -= row.length
      if (again === 0 || rows.has(key)) return
      if (state.characters + row.length > keptCharacters) return
      state.characters += row.length
      rows.set(key, row)
    },
  }
}

function toRow(key: string, doc: Stored<Document> | undefined, includeDocs: boolean): string {
  if (!doc) return JSON.stringify({ key, error: 'not_found' })
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return JSON.stringify(includeDocs ? { ...row, doc } : row)
}
