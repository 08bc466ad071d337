import type { Revisions } from './documents.ts'
import { isMissing, type Pouch } from './pouch.ts'

/** The end of a branch in a document's revision tree, with its ancestry. */
export interface Leaf {
  revisions: Revisions
  isDeleted: boolean
}

/** How often to reread a document that grows during the read. */
export const growthsSeen = 10

/** @returns every leaf of a document; none for an unknown one */
export async function readLeaves(pouch: Pouch, id: string): Promise<Leaf[]> {
  let leaves: Leaf[] = []
  for (let reading = 0; reading < growthsSeen; reading += 1) {
    const rows = await readRows(pouch, id)
    leaves = rows.flatMap((row) => {
      if (!('ok' in row) || !row.ok._revisions) return []
      return [{ revisions: row.ok._revisions, isDeleted: row.ok._deleted === true }]
    })
    // A leaf without a body has grown since the tree was read, and was compacted.
    if (leaves.length === rows.length) break
  }
  return leaves
}

async function readRows(pouch: Pouch, id: string) {
  try {
    return await pouch.get(id, { open_revs: 'all', revs: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
