import type { Database, Failure } from './database.ts'
import type { Document, Stored } from './documents.ts'
import { nameByContent } from './grow-branch.ts'
import { planWrites, type Write } from './plan-writes.ts'
import { readLeaves } from './read-revisions.ts'

/** Writes to CouchDB. @returns the revision of every document read or written, and the ids with a concurrent write */
export async function writeDocuments(
  database: Database,
  stored: ReadonlyMap<string, Stored<Document>>,
  writes: Iterable<Write>,
) {
  const { edits, replicated, revs, stale } = await planWrites({
    stored,
    writes,
    // It may get the same write from several servers.
    nameChild: nameByContent,
    readLeaves: (id) => readLeaves(database, id),
  })
  const conflicts = new Set(stale)

  const rows = edits.length > 0 ? await database.bulkDocs(edits) : []
  for (const [index, row] of rows.entries()) {
    const id = edits[index]?._id ?? ''
    if (isWritten(row)) revs.set(id, row.rev)
    else if (row.status === 409 || row.error === 'conflict') conflicts.add(id)
    else throw new Error(`${id} could not be stored`, { cause: row })
  }

  const failures =
    replicated.length > 0 ? await database.bulkDocs(replicated, { new_edits: false }) : []
  if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })

  const refused = conflicts.size - stale.size
  return { revs, conflicts, written: edits.length - refused + replicated.length }
}

function isWritten(
  row: { id: string; rev: string; ok: true } | Failure,
): row is { id: string; rev: string; ok: true } {
  return 'ok' in row && row.ok === true
}
