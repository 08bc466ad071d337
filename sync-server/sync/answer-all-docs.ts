import type { Response } from 'express'
import { limits } from '../../schema/limits.ts'
import type { Document, Stored } from '../storage/documents.ts'
import { tooLarge } from './couch-error.ts'
import { readIdRange } from './read-id-range.ts'
import { isStorableId } from './read-proposal.ts'
import { type Query, readFlag, readTexts } from './read-query.ts'
import { sendJson } from './send-json.ts'
import type { SyncDatabase } from './sync-database.ts'
import { writeText } from './write-text.ts'

/**
 * CouchDB's `_all_docs`: by `keys`, or a range of ids, which is sent as it is read. Removed documents are never in
 * these databases, so `deleted: 'ok'` asks for nothing more.
 */
export async function answerAllDocs(options: {
  database: SyncDatabase
  query: Query
  response: Response
}): Promise<void> {
  const { database, query, response } = options
  const { stored } = database
  const includeDocs = readFlag(query, 'include_docs')
  const keys = readTexts(query, 'keys')
  const { docCount } = await stored.info()
  if (keys) {
    const rows = await readKeys(database, keys, includeDocs)
    return sendJson(response, 200, { total_rows: docCount, offset: 0, rows })
  }
  const pages = readIdRange(stored, query)
  const first = await pages.next()
  response.status(200).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.write(`{"total_rows":${docCount},"offset":0,"rows":[\n`)
  let separator = ''
  for (let page = first; !page.done && !response.destroyed; page = await pages.next()) {
    const rows = page.value.map((doc) => JSON.stringify(toRow(doc, includeDocs)))
    await writeText(response, separator + rows.join(',\n'))
    separator = ',\n'
  }
  response.end('\n]}\n')
}

async function readKeys({ stored }: SyncDatabase, keys: string[], includeDocs: boolean) {
  if (keys.length > limits.syncBatchMaxDocuments) {
    throw tooLarge(`At most ${limits.syncBatchMaxDocuments} keys can be asked for at once.`)
  }
  const found = await stored.read(keys.filter(isStorableId))
  return keys.map((key) => {
    const doc = found.get(key)
    return doc ? toRow(doc, includeDocs) : { key, error: 'not_found' }
  })
}

function toRow(doc: Stored<Document>, includeDocs: boolean) {
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return includeDocs ? { ...row, doc } : row
}
