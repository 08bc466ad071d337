import { createHash, randomUUID } from 'node:crypto'
import type { Document, Revisions } from './documents.ts'
import type { PouchWrite } from './pouch.ts'
import type { Leaf } from './read-leaves.ts'

/** A leaf that a replicating client holds of a document; what is stored next becomes its child. */
export interface PushedRevision {
  id: string
  revisions: Revisions
  isDeleted?: boolean
}

/**
 * Plans how a document goes on after a client pushed revisions of its own making (`new_edits: false`): `body` becomes
 * a child of what was pushed, so the pusher's tree grows by one, and every other open leaf is closed. What contradicts
 * the tree, or would make it too wide to work with, stays out of it.
 * @param plan.nameChild names a revision; the same for the same where several servers may do the same
 * @returns revisions to write as replicated, and the winning one; `undefined` when there is nothing to grow
 */
export function growBranch(plan: {
  body: Document
  pushed: readonly PushedRevision[]
  leaves: readonly Leaf[]
  nameChild?: NameChild
}): { docs: PouchWrite[]; rev: string | undefined } | undefined {
  const { nameChild = nameByContent } = plan
  const known = new Set(plan.leaves.flatMap((leaf) => listRevs(leaf.revisions)))
  const unknown = plan.pushed.filter(({ revisions }) => !known.has(nameRev(revisions)))
  const news = takeConsistent(plan.leaves, unknown).slice(0, leavesMax - plan.leaves.length)
  if (news.length === 0) return undefined
  const open = plan.leaves.filter((leaf) => !leaf.isDeleted)

  // A pushed tombstone that ends a side branch is kept as it is; only one that ends the document is grown over.
  const isSideEnd = (one: PushedRevision) =>
    one.isDeleted === true &&
    !open.some((leaf) => listRevs(one.revisions).includes(nameRev(leaf.revisions)))
  const ends = open.length > 0 ? news.filter(isSideEnd) : []
  const branches = news.filter((one) => !ends.includes(one)).sort(byLength)
  const parent = branches[0]
  const docs = ends.map(({ revisions }) => asTombstone(plan.body._id, revisions))
  if (!parent) return { docs, rev: undefined }

  const child = grow(parent.revisions, JSON.stringify(plan.body), nameChild)
  const path = new Set(listRevs(child))
  const others = [...open, ...branches.slice(1)].filter(
    ({ revisions }) => !path.has(nameRev(revisions)),
  )
  for (const { revisions } of others)
    docs.push(asTombstone(plan.body._id, grow(revisions, 'closed', nameChild)))
  docs.push({ ...plan.body, _rev: nameRev(child), _revisions: child })
  return { docs, rev: nameRev(child) }
}

/** More open and closed ends than this a document never has. */
export const leavesMax = 100

/** The name of the newest revision of a path, `<generation>-<hash>`. */
export function nameRev(revisions: Revisions): string {
  return `${revisions.start}-${revisions.ids[0]}`
}

/** The names of all revisions of a path, newest first. */
export function listRevs(revisions: Revisions): string[] {
  return revisions.ids.map((id, index) => `${revisions.start - index}-${id}`)
}

function byLength(a: PushedRevision, b: PushedRevision): number {
  return (
    b.revisions.start - a.revisions.start || (nameRev(a.revisions) < nameRev(b.revisions) ? -1 : 1)
  )
}

export type NameChild = (parent: Revisions, content: string) => string

/** The same content on the same parent gets the same name, so a repeated push meets what the first one stored. */
export const nameByContent: NameChild = (parent, content) =>
  createHash('md5').update(nameRev(parent)).update(content).digest('hex')

/** A name that nobody can foresee, and push before it is given. */
export const nameByChance: NameChild = () => randomUUID().replaceAll('-', '')

export function grow(parent: Revisions, content: string, nameChild: NameChild): Revisions {
  return { start: parent.start + 1, ids: [nameChild(parent, content), ...parent.ids] }
}

/**
 * PouchDB keeps one body for each name of a revision. Under two parents, a name would be compacted in one place and be
 * the only one in the other: such a document could never be read again.
 */
function takeConsistent(
  leaves: readonly Leaf[],
  pushed: readonly PushedRevision[],
): PushedRevision[] {
  const parents = new Map<string, string | undefined>()
  const note = (revisions: Revisions) => {
    const revs = listRevs(revisions)
    for (const [index, rev] of revs.entries()) {
      parents.set(rev, revs[index + 1] ?? parents.get(rev))
    }
  }
  for (const { revisions } of leaves) note(revisions)
  return pushed.filter(({ revisions }) => {
    const revs = listRevs(revisions)
    const isConsistent = revs.every((rev, index) => {
      const [before, now] = [parents.get(rev), revs[index + 1]]
      return before === undefined || now === undefined
        ? !parents.has(rev) || before === now || isCutOff(revisions)
        : before === now
    })
    if (isConsistent) note(revisions)
    return isConsistent
  })
}

/** Does a path end above the first generation, because older revisions were left out? */
function isCutOff({ start, ids }: Revisions): boolean {
  return start > ids.length
}

function asTombstone(id: string, revisions: Revisions): PouchWrite {
  return { _id: id, _rev: nameRev(revisions), _revisions: revisions, _deleted: true }
}
