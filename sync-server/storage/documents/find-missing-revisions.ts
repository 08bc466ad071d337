import { listRevs } from './grow-branch.ts'
import type { Pouch } from './pouch.ts'
import { readLeaves } from './read-leaves.ts'

/** CouchDB's `_revs_diff` row. */
export interface MissingRevisions {
  missing?: string[]
  possible_ancestors?: string[]
}

/**
 * PouchDB on LevelDB reports compacted revisions as missing; CouchDB does not. Here every stored
 * revision is a child of a pushed one, so PouchDB's rule would request the same revision from a
 * client over and over.
 */
export async function findMissingRevisions(
  pouch: Pouch,
  revs: Record<string, string[]>,
): Promise<Record<string, MissingRevisions>> {
  const reported = await pouch.revsDiff(revs)
  const entries = await Promise.all(
    Object.entries(reported).map(async ([id, row]) => {
      const leaves = await readLeaves(pouch, id)
      const seen = new Set(leaves.flatMap((leaf) => listRevs(leaf.revisions)))
      return [id, { ...row, missing: row.missing?.filter((rev) => !seen.has(rev)) }] as const
    }),
  )
  return Object.fromEntries(entries.filter(([, row]) => row.missing && row.missing.length > 0))
}
