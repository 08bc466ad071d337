import type { ChangesPage, Document, Seq } from './documents.ts'
import { isRefused, type Pouch } from './pouch.ts'

interface AskedChanges {
  since?: Seq
  limit?: number
  include_docs: boolean
  style?: 'main_only' | 'all_docs'
  descending?: boolean
}

/** As storage gives a place: LevelDB a number, CouchDB a number and letters that nobody has to understand. */
const placePattern = /^\d{1,15}-[\w-]+={0,2}$/

/**
 * Changes behind a place. One that this history does not have, as after a move between LevelDB and CouchDB or after a
 * backup was put back, would hide what is new: it counts as the beginning.
 * @param readSeq where the database stands
 */
export async function readChanges(
  pouch: Pouch,
  { since = 0, ...asked }: AskedChanges,
  readSeq: () => Promise<Seq>,
): Promise<ChangesPage<Document>> {
  // In one request, where each is one.
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
  // CouchDB itself says what it does not know. pouchdb-server, which counts in numbers, finds nothing there.
  const isCounted = typeof page.last_seq === 'number'
  return page.results.length > 0 || !isCounted || (await isHere()) ? page : await read(0)
}

function isPlace(since: Seq): boolean {
  return typeof since === 'number' ? Number.isSafeInteger(since) : placePattern.test(since)
}

function isAtMost(since: Seq, newest: Seq): boolean {
  return typeof since === 'number' && since <= Number(newest)
}
