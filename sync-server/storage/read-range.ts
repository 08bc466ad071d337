import type { Document, Stored } from './documents/documents.ts'
import type { Pouch } from './documents/pouch.ts'
import { readDocuments } from './documents/read-documents.ts'
import type { RangeOptions } from './range-options.ts'

/** So few rows are not worth reading their ids first. */
const fewRows = 2

/** The documents of a range of ids, in its order. */
export async function readRange(pouch: Pouch, range: RangeOptions): Promise<Stored<Document>[]> {
  const isFew = range.limit !== undefined && range.limit <= fewRows
  if (pouch.adapter === 'http' || isFew) return await readWhole(pouch, range)
  // On LevelDB that reads documents in sequence: each waits for a thread, and for everybody's other
  // work.
  const { rows } = await pouch.allDocs(range)
  const found = await readDocuments(pouch, new Set(rows.map(({ id }) => id)))
  // A document removed meanwhile would make the page look like the last.
  if (found.size < rows.length) return await readWhole(pouch, range)
  return rows.flatMap(({ id }) => found.get(id) ?? [])
}

async function readWhole(pouch: Pouch, range: RangeOptions): Promise<Stored<Document>[]> {
  const { rows } = await pouch.allDocs({ ...range, include_docs: true })
  return rows.flatMap((row) => (row.doc ? [row.doc] : []))
}
