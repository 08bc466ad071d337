import type { ChangesPage, Document, Seq } from './documents.ts'
import { isRefused, type Pouch } from './pouch.ts'

interface AskedChanges {
  since?: Seq
  limit?: number
  include_docs: boolean
  style?: 'main_only' | 'all_docs'
  descending?: boolean
}

/** A place as storage gives it: LevelDB a number, CouchDB a number and opaque characters. */
const placePattern = /^\d{1,15}-[\w-]+={0,2}$/

/**
 * Changes after a place. A place that this history lacks, as after a move between LevelDB and
 * CouchDB or after a restore, would hide new changes: treats it as the beginning.
 * @param readSeq reads the database's current place
 */
export async function readChanges(
  pouch: Pouch,
  { since = 0, ...asked }: AskedChanges,
  readSeq: () => Promise<Seq>,
): Promise<ChangesPage<Document>> {
  // One request instead of one for each.
  const whole = pouch.adapter === 'http' ? { ...asked, batch_size: asked.limit ?? 1000 } : asked
  const read = async (place: Seq) => {
    const { results, last_seq } = await pouch.changes({ ...whole, since: place })
    return { results, last_seq }
  }
  const isHere = async () => isAtMost(since, await readSeq())

  if (since === 0 || !isPlace(since)) return await read(0)
  if (pouch.adapter !== 'http') return await read((await isHere()) ? since : 0)
  const page = await read(since).catch((error: unknown) => {
    if (!isRefused(error)) throw error
    return undefined
  })
  if (!page) return await read(0)
  // CouchDB itself rejects unknown places. pouchdb-server, which uses numbers, returns nothing.
  const isCounted = typeof page.last_seq === 'number'
  return page.results.length > 0 || !isCounted || (await isHere()) ? page : await read(0)
}

function isPlace(since: Seq): boolean {
  return typeof since === 'number' ? Number.isSafeInteger(since) : placePattern.test(since)
}

function isAtMost(since: Seq, newest: Seq): boolean {
  return typeof since === 'number' && since <= Number(newest)
}
