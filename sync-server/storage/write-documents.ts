import type { Document, Stored } from './documents.ts'
import { growBranch, type PushedRevision } from './grow-branch.ts'
import type { Pouch, PouchFailure, PouchWrite } from './pouch.ts'
import { readLeaves } from './read-leaves.ts'

/** A document to be stored: `isChanged` when its body differs from the stored one. */
export interface Write {
  body: Document
  isChanged: boolean
  pushed: readonly PushedRevision[]
}

/** @returns the revision of every document read or written, and the ids that somebody else wrote meanwhile */
export async function writeDocuments(
  pouch: Pouch,
  stored: ReadonlyMap<string, Stored<Document>>,
  writes: Iterable<Write>,
) {
  const revs = new Map([...stored].map(([id, doc]) => [id, doc._rev]))
  const conflicts = new Set<string>()
  const edits: PouchWrite[] = []
  const replicated: PouchWrite[] = []
  const grownRevs = new Map<string, string>()

  for (const { body, isChanged, pushed } of writes) {
    const leaves = pushed.length > 0 ? await readLeaves(pouch, body._id) : []
    const grown = growBranch({ body, pushed, leaves })
    replicated.push(...(grown?.docs ?? []))
    if (grown?.rev) grownRevs.set(body._id, grown.rev)
    else if (isChanged) edits.push({ ...body, _rev: revs.get(body._id) })
  }

  const rows = edits.length > 0 ? await pouch.bulkDocs(edits) : []
  for (const [index, row] of rows.entries()) {
    const id = edits[index]?._id ?? ''
    if (isWritten(row)) revs.set(id, row.rev)
    else if (row.status === 409 || row.error === 'conflict') conflicts.add(id)
    else throw new Error(`${id} could not be stored`, { cause: row })
  }

  const failures =
    replicated.length > 0 ? await pouch.bulkDocs(replicated, { new_edits: false }) : []
  if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })
  for (const [id, rev] of grownRevs) revs.set(id, rev)

  return { revs, conflicts, written: edits.length - conflicts.size + replicated.length }
}

function isWritten(row: { id: string; rev: string; ok: true } | PouchFailure): row is {
  id: string
  rev: string
  ok: true
} {
  return 'ok' in row && row.ok === true
}
