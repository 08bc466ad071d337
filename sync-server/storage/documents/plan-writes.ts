import pLimit from 'p-limit'
import type { DocumentWrite } from './database.ts'
import type { Document, Stored } from './documents.ts'
import { growBranch, type NameChild, nameRev, type PushedRevision } from './grow-branch.ts'
import type { Leaf } from './read-revisions.ts'

/** A document to store: `isChanged` when its body differs from the stored one. */
export interface Write {
  body: Document
  isChanged: boolean
  pushed: readonly PushedRevision[]
}

/** What is to be written into a database. */
export interface WritePlan {
  /** New versions of stored documents, under the revision that each follows. */
  edits: DocumentWrite[]
  /** Revisions with their ancestry, as replication writes them. */
  replicated: DocumentWrite[]
  /** The revision of every document read, and the new ones from `replicated`. */
  revs: Map<string, string>
  /**
   * Documents that somebody has written since `stored` was read, left out here: no database checks
   * a replicated revision, which would close what they wrote.
   */
  stale: Set<string>
}

type ReadLeaves = (id: string) => Promise<readonly Leaf[]>

const leavesReadAtOnce = 16

/** @param plan.nameChild names a version that grows on a pushed revision */
export async function planWrites({
  stored,
  writes,
  nameChild,
  readLeaves,
}: {
  stored: ReadonlyMap<string, Stored<Document>>
  writes: Iterable<Write>
  nameChild: NameChild
  readLeaves: ReadLeaves
}): Promise<WritePlan> {
  const revs = new Map([...stored].map(([id, doc]) => [id, doc._rev]))
  const plan: WritePlan = { edits: [], replicated: [], revs, stale: new Set() }
  const all = [...writes]
  const pushing = all.filter(({ pushed }) => pushed.length > 0)
  const leaves = await readLeavesOf(pushing, readLeaves)
  for (const { body, isChanged, pushed } of all) {
    const ownLeaves = leaves.get(body._id) ?? []
    if (pushed.length > 0 && !isCurrent(stored.get(body._id)?._rev, ownLeaves)) {
      plan.stale.add(body._id)
      continue
    }
    const grown = growBranch({ body, pushed, leaves: ownLeaves, nameChild })
    plan.replicated.push(...(grown?.docs ?? []))
    if (grown?.rev) revs.set(body._id, grown.rev)
    else if (isChanged) plan.edits.push({ ...body, _rev: revs.get(body._id) })
  }
  return plan
}

/** @param rev undefined for a document that was read as missing or deleted */
function isCurrent(rev: string | undefined, leaves: readonly Leaf[]): boolean {
  const open = leaves.filter(({ isDeleted }) => !isDeleted)
  if (rev === undefined) return open.length === 0
  return open.some(({ revisions }) => nameRev(revisions) === rev)
}

async function readLeavesOf(pushing: readonly Write[], readLeaves: ReadLeaves) {
  // A device's edits push none.
  if (pushing.length === 0) return new Map<string, readonly Leaf[]>()
  const read = async ({ body }: Write) => [body._id, await readLeaves(body._id)] as const
  return new Map(await pLimit(leavesReadAtOnce).map(pushing, read))
}
