import { type Database, isMissing, type OpenRevision } from './database.ts'
import type { Document, Revisions, Stored } from './documents.ts'
import { listRevs, nameRev } from './grow-branch.ts'

/** How often to reread a document that grows during the read. */
const growthsSeen = 10

/** One revision of a document; with its ancestry if requested. */
export type StoredRevision = Stored<Document> & { _revisions?: Revisions; _deleted?: boolean }

interface RevisionOptions {
  /** Includes the ancestry, as `_revisions`. */
  revs?: boolean
  /** Returns the leaves that grew from a revision instead of it. */
  latest?: boolean
}

/**
 * One revision, by default the winning one; undefined if missing. Computes `latest` itself,
 * for every kind of database in the same way.
 */
export async function readRevision(
  database: Database,
  id: string,
  { rev, latest = false, ...options }: RevisionOptions & { rev?: string | undefined },
): Promise<StoredRevision | undefined> {
  if (rev === undefined) return await readOne(database, id, options)
  if (!latest) return await readOne(database, id, { ...options, rev })
  for (let reading = 0; reading < growthsSeen; reading += 1) {
    const [newest] = findLatest(await readLeaves(database, id), rev)
    if (newest === undefined) return undefined
    const found = await readOne(database, id, { ...options, rev: newest })
    // A missing leaf has grown since it was listed: its successor is the latest now.
    if (found) return found
  }
  return undefined
}

/**
 * Leaves of one document, or the requested revisions; undefined for a document that never existed.
 */
export async function readOpenRevisions(
  database: Database,
  id: string,
  options: RevisionOptions & { openRevs: 'all' | readonly string[] },
): Promise<OpenRevision[] | undefined> {
  const { openRevs, latest = false, revs = false } = options
  let found: OpenRevision[] = []
  for (let reading = 0; reading < growthsSeen; reading += 1) {
    const leaves = await readLeaves(database, id)
    if (leaves.length === 0) return undefined
    const names = leaves.map(({ revisions }) => nameRev(revisions))
    const wanted =
      openRevs === 'all'
        ? names
        : [...new Set(openRevs.flatMap((rev) => (latest ? findNamed(leaves, rev) : [rev])))]
    found = await Promise.all(
      wanted.map(async (rev): Promise<OpenRevision> => {
        const ok = await readOne(database, id, { rev, revs })
        return ok ? { ok } : { missing: rev }
      }),
    )
    if (!found.some((row) => 'missing' in row && names.includes(row.missing))) break
  }
  return found
}

const findNamed = (leaves: readonly Leaf[], rev: string) => {
  const latest = findLatest(leaves, rev)
  return latest.length > 0 ? latest : [rev]
}

/**
 * The leaves grown from a revision: open ones first, then the longer path, then the higher name.
 */
function findLatest(leaves: readonly Leaf[], rev: string): string[] {
  return leaves
    .filter(({ revisions }) => listRevs(revisions).includes(rev))
    .toSorted(
      (a, b) =>
        Number(a.isDeleted) - Number(b.isDeleted) ||
        b.revisions.start - a.revisions.start ||
        (nameRev(a.revisions) > nameRev(b.revisions) ? -1 : 1),
    )
    .map(({ revisions }) => nameRev(revisions))
}

async function readOne(
  database: Database,
  id: string,
  options: { rev?: string; revs?: boolean },
): Promise<StoredRevision | undefined> {
  try {
    return await database.get(id, options)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The end of a branch in a document's revision tree, with its ancestry. */
export interface Leaf {
  revisions: Revisions
  isDeleted: boolean
}

/** @returns every leaf of a document; none for an unknown one */
export async function readLeaves(database: Database, id: string): Promise<Leaf[]> {
  let leaves: Leaf[] = []
  for (let reading = 0; reading < growthsSeen; reading += 1) {
    const rows = await readRows(database, id)
    leaves = rows.flatMap((row) => {
      if (!('ok' in row) || !row.ok._revisions) return []
      return [{ revisions: row.ok._revisions, isDeleted: row.ok._deleted === true }]
    })
    // A leaf without a body has grown since the tree was read, and was compacted.
    if (leaves.length === rows.length) break
  }
  return leaves
}

async function readRows(database: Database, id: string) {
  try {
    return await database.get(id, { open_revs: 'all', revs: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
