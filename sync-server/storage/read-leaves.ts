import type { Revisions } from './documents.ts'
import { isMissing, type Pouch } from './pouch.ts'

/** The end of a branch in a document's revision tree, with its ancestry. */
export interface Leaf {
  revisions: Revisions
  isDeleted: boolean
}

/** @returns every leaf of a document; none when the database has never seen it */
export async function readLeaves(pouch: Pouch, id: string): Promise<Leaf[]> {
  try {
    const rows = await pouch.get(id, { open_revs: 'all', revs: true })
    return rows.flatMap((row) => {
      if (!('ok' in row) || !row.ok._revisions) return []
      return [{ revisions: row.ok._revisions, isDeleted: row.ok._deleted === true }]
    })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
