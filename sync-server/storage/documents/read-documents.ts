import { slicesOf } from '../../../schema/helpers/lists.ts'
import type { Document, Stored } from './documents.ts'
import { isMissing, type Pouch } from './pouch.ts'

const readAtOnce = 64

/** @returns the existing, undeleted documents, by id */
export async function readDocuments(
  pouch: Pouch,
  ids: ReadonlySet<string>,
): Promise<Map<string, Stored<Document>>> {
  if (pouch.adapter === 'http') {
    return new Map((await readTogether(pouch, ids)).map((doc) => [doc._id, doc]))
  }
  // On LevelDB a get is four times as fast as a key of allDocs, which opens a stream for each.
  const found = await readEach(ids, (id) => readDocument(pouch, id))
  const docs = new Map<string, Stored<Document>>()
  for (const [id, doc] of found) if (doc) docs.set(id, doc)
  return docs
}

async function readTogether(pouch: Pouch, ids: ReadonlySet<string>) {
  if (ids.size === 0) return []
  const { rows } = await pouch.allDocs({ keys: [...ids], include_docs: true })
  return rows.flatMap((row) => (row.doc ? [row.doc] : []))
}

/** What `read` finds for each id, in the order of `ids`; reads a few at once. */
export async function readEach<Found>(
  ids: ReadonlySet<string>,
  read: (id: string) => Promise<Found>,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  for (const slice of slicesOf([...ids], readAtOnce)) {
    const results = await Promise.all(slice.map(read))
    for (const [index, id] of slice.entries()) found.set(id, results[index] as Found)
  }
  return found
}

/** @returns undefined for a missing or deleted document */
export async function readDocument(
  pouch: Pouch,
  id: string,
): Promise<Stored<Document> | undefined> {
  try {
    return await pouch.get(id)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
