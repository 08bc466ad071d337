import type { Document, Stored } from './documents/documents.ts'
import type { Pouch } from './documents/pouch.ts'
import { readDocuments } from './documents/read-documents.ts'
import type { RangeOptions } from './stored-database.ts'

/** For so few it is not worth to look at their names first. */
const fewRows = 2

/** The documents of a range of ids, in its order. */
export async function readRange(pouch: Pouch, range: RangeOptions): Promise<Stored<Document>[]> {
  const isFew = range.limit !== undefined && range.limit <= fewRows
  if (pouch.adapter === 'http' || isFew) return await readWhole(pouch, range)
  // On LevelDB that reads one document after the other: each waits for a thread, and for all that others do meanwhile.
  const { rows } = await pouch.allDocs(range)
  const found = await readDocuments(pouch, new Set(rows.map(({ id }) => id)))
  // One that was removed meanwhile would make the page look like the last one.
  if (found.size < rows.length) return await readWhole(pouch, range)
  return rows.flatMap(({ id }) => found.get(id) ?? [])
}

async function readWhole(pouch: Pouch, range: RangeOptions): Promise<Stored<Document>[]> {
  const { rows } = await pouch.allDocs({ ...range, include_docs: true })
  return rows.flatMap((row) => (row.doc ? [row.doc] : []))
}
