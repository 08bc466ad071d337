import pLimit from 'p-limit'
import type { Document, Stored } from './documents.ts'
import { growBranch, nameByChance, nameByContent, type PushedRevision } from './grow-branch.ts'
import type { Pouch, PouchWrite } from './pouch.ts'
import { type Leaf, readLeaves } from './read-leaves.ts'

/** A document to store: `isChanged` when its body differs from the stored one. */
export interface Write {
  body: Document
  isChanged: boolean
  pushed: readonly PushedRevision[]
}

/** PouchDB's input for a database's writes. */
export interface WritePlan {
  /** New versions of stored documents; PouchDB names their revisions. */
  edits: PouchWrite[]
  /** Revisions with their ancestry, as replication writes them. */
  replicated: PouchWrite[]
  /** The revision of every document read, and the new ones from `replicated`. */
  revs: Map<string, string>
}

const leavesReadAtOnce = 16

export async function planWrites(
  pouch: Pouch,
  stored: ReadonlyMap<string, Stored<Document>>,
  writes: Iterable<Write>,
): Promise<WritePlan> {
  const revs = new Map([...stored].map(([id, doc]) => [id, doc._rev]))
  const plan: WritePlan = { edits: [], replicated: [], revs }
  const all = [...writes]
  const leaves = await readLeavesOf(
    pouch,
    all.filter(({ pushed }) => pushed.length > 0),
  )
  for (const { body, isChanged, pushed } of all) {
    // CouchDB may get the same write from several servers; on LevelDB nobody may know a name before
    // it is given.
    const nameChild = pouch.adapter === 'http' ? nameByContent : nameByChance
    const grown = growBranch({ body, pushed, leaves: leaves.get(body._id) ?? [], nameChild })
    plan.replicated.push(...(grown?.docs ?? []))
    if (grown?.rev) revs.set(body._id, grown.rev)
    else if (isChanged) plan.edits.push({ ...body, _rev: revs.get(body._id) })
  }
  return plan
}

async function readLeavesOf(
  pouch: Pouch,
  pushed: readonly Write[],
): Promise<ReadonlyMap<string, readonly Leaf[]>> {
  // A device's edits push none.
  if (pushed.length === 0) return new Map()
  const read = async ({ body }: Write) => [body._id, await readLeaves(pouch, body._id)] as const
  return new Map(await pLimit(leavesReadAtOnce).map(pushed, read))
}
