import type { Response } from 'express'
import { limits } from '../../schema/limits.ts'
import type { Document, Stored } from '../storage/documents.ts'
import { tooLarge } from './couch-error.ts'
import { readIdRange } from './read-id-range.ts'
import { isStorableId } from './read-proposal.ts'
import { type Query, readFlag, readTexts } from './read-query.ts'
import { sendList } from './send-list.ts'
import { slicesOf } from './slices-of.ts'
import type { SyncDatabase } from './sync-database.ts'

const keysAtOnce = 16

/**
 * CouchDB's `_all_docs`: by `keys`, or a range of ids, sent as it is read. Removed documents are never in these
 * databases, so `deleted: 'ok'` asks for nothing more.
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
  for (const slice of slicesOf(keys, keysAtOnce)) {
    const found = await turn(() => stored.read(slice.filter(isStorableId)))
    // A key that comes again and again in one request is read and written down once.
    const rows = new Map(slice.map((key) => [key, toRow(key, found.get(key), includeDocs)]))
    yield slice.map((key) => rows.get(key) ?? '')
  }
}

function toRow(key: string, doc: Stored<Document> | undefined, includeDocs: boolean): string {
  if (!doc) return JSON.stringify({ key, error: 'not_found' })
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return JSON.stringify(includeDocs ? { ...row, doc } : row)
}
