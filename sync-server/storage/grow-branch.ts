import { createHash } from 'node:crypto'
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
 * a child of what was pushed, so the pusher's tree grows by one, and every other open leaf is closed.
 * @returns revisions to write as replicated, and the winning one; `undefined` when the tree knows all that was pushed
 */
export function growBranch(plan: {
  body: Document
  pushed: readonly PushedRevision[]
  leaves: readonly Leaf[]
}): { docs: PouchWrite[]; rev: string | undefined } | undefined {
  const known = new Set(plan.leaves.flatMap((leaf) => listRevs(leaf.revisions)))
  const news = plan.pushed.filter(({ revisions }) => !known.has(nameRev(revisions)))
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

  const child = grow(parent.revisions, JSON.stringify(plan.body))
  const path = new Set(listRevs(child))
  const others = [...open, ...branches.slice(1)].filter(
    ({ revisions }) => !path.has(nameRev(revisions)),
  )
  for (const { revisions } of others)
    docs.push(asTombstone(plan.body._id, grow(revisions, 'closed')))
  docs.push({ ...plan.body, _rev: nameRev(child), _revisions: child })
  return { docs, rev: nameRev(child) }
}

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

/** The same content on the same parent gets the same name, so a repeated push meets what the first one stored. */
export function grow(parent: Revisions, content: string): Revisions {
  const hash = createHash('md5').update(nameRev(parent)).update(content).digest('hex')
  return { start: parent.start + 1, ids: [hash, ...parent.ids] }
}

function asTombstone(id: string, revisions: Revisions): PouchWrite {
  return { _id: id, _rev: nameRev(revisions), _revisions: revisions, _deleted: true }
}
