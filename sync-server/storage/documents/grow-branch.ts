import { createHash, randomUUID } from 'node:crypto'
import type { DocumentWrite } from './database.ts'
import type { Document, Revisions } from './documents.ts'
import type { Leaf } from './read-revisions.ts'

/** A replicating client's leaf of a document; the next stored revision becomes its child. */
export interface PushedRevision {
  id: string
  revisions: Revisions
  isDeleted?: boolean
}

/**
 * Plans how a document grows after a client pushed its own revisions (`new_edits: false`): `body`
 * becomes a child of the pushed one, so the pusher's tree grows by one, and all other open leaves
 * close. Drops revisions that contradict the tree or make it too wide.
 * @param plan.nameChild names a revision; deterministic where several servers may do the same
 * @returns revisions to write as replicated, and the winning one; `undefined` when there is nothing
 * to grow
 */
export function growBranch(plan: {
  body: Document
  pushed: readonly PushedRevision[]
  leaves: readonly Leaf[]
  nameChild?: NameChild
}): { docs: DocumentWrite[]; rev: string | undefined } | undefined {
  const { nameChild = nameByContent } = plan
  const known = new Set(plan.leaves.flatMap((leaf) => listRevs(leaf.revisions)))
  const unknown = plan.pushed.filter(({ revisions }) => !known.has(nameRev(revisions)))
  const news = takeConsistent(plan.leaves, unknown).slice(0, leavesMax - plan.leaves.length)
  if (news.length === 0) return undefined
  const open = plan.leaves.filter((leaf) => !leaf.isDeleted)

  // Keeps a pushed tombstone that ends a side branch; grows over one that ends the document.
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
  // Only what joins a stored tree is cut as it joins: a document's first path would be kept whole.
  const kept = plan.leaves.length === 0 ? cut(child) : child
  docs.push({ ...plan.body, _rev: nameRev(child), _revisions: kept })
  return { docs, rev: nameRev(child) }
}

/**
 * How many revisions of a document are kept. All are read, copied and written with each version: a
 * conversation, which rises all day, has as many.
 */
export const revisionsKept = 20

/** The maximum of open and closed leaves of a document. */
export const leavesMax = 100

/** The name of a path's newest revision, `<generation>-<hash>`. */
export function nameRev(revisions: Revisions): string {
  return `${revisions.start}-${revisions.ids[0]}`
}

/** The names of a path's revisions, newest first. */
export function listRevs(revisions: Revisions): string[] {
  return revisions.ids.map((id, index) => `${revisions.start - index}-${id}`)
}

const cut = ({ start, ids }: Revisions): Revisions => ({ start, ids: ids.slice(0, revisionsKept) })

function byLength(a: PushedRevision, b: PushedRevision): number {
  return (
    b.revisions.start - a.revisions.start || (nameRev(a.revisions) < nameRev(b.revisions) ? -1 : 1)
  )
}

export type NameChild = (parent: Revisions, content: string) => string

/**
 * Deterministic: the same content on the same parent gets the same name, so a repeated push finds
 * its first result.
 */
export const nameByContent: NameChild = (parent, content) =>
  createHash('md5').update(nameRev(parent)).update(content).digest('hex')

/** A name that nobody can predict and push first. */
export const nameByChance: NameChild = () => randomUUID().replaceAll('-', '')

export function grow(parent: Revisions, content: string, nameChild: NameChild): Revisions {
  return { start: parent.start + 1, ids: [nameChild(parent, content), ...parent.ids] }
}

/**
 * A revision's name stands for one body and one past. Under two parents it would be replaced in one
 * place and be the newest in the other; and PouchDB, which many replicators are, looks up a
 * revision's ancestry by its hash alone: a hash in two generations would get the wrong one.
 */
function takeConsistent(
  leaves: readonly Leaf[],
  pushed: readonly PushedRevision[],
): PushedRevision[] {
  const parents = new Map<string, string | undefined>()
  const generations = new Map<string, number>()
  const record = (revisions: Revisions) => {
    const revs = listRevs(revisions)
    for (const [index, rev] of revs.entries()) {
      parents.set(rev, revs[index + 1] ?? parents.get(rev))
    }
    for (const [index, hash] of revisions.ids.entries()) {
      generations.set(hash, revisions.start - index)
    }
  }
  for (const { revisions } of leaves) record(revisions)
  return pushed.filter(({ revisions }) => {
    const revs = listRevs(revisions)
    const isInPlace = revisions.ids.every((hash, index) => {
      const generation = revisions.start - index
      return (generations.get(hash) ?? generation) === generation
    })
    const isConsistent = revs.every((rev, index) => {
      const [before, now] = [parents.get(rev), revs[index + 1]]
      return before === undefined || now === undefined
        ? !parents.has(rev) || before === now || isCutOff(revisions)
        : before === now
    })
    if (isInPlace && isConsistent) record(revisions)
    return isInPlace && isConsistent
  })
}

/** Does the path start above the first generation, without its older revisions? */
function isCutOff({ start, ids }: Revisions): boolean {
  return start > ids.length
}

function asTombstone(id: string, revisions: Revisions): DocumentWrite {
  return { _id: id, _rev: nameRev(revisions), _revisions: revisions, _deleted: true }
}
