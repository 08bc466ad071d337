import { createHash } from 'node:crypto'
import { limits } from '../../schema/limits.ts'
import type { Outcome } from '../messages/proposals/proposal.ts'
import type { Document } from '../storage/documents/documents.ts'
import { leavesMax } from '../storage/documents/grow-branch.ts'
import { badRequest, tooLarge } from './couch-error.ts'
import { type ReadProposal, readProposal } from './read-proposal.ts'
import type { SyncDatabase } from './sync-database.ts'

/** One row of CouchDB's answer to `_bulk_docs`. */
export type PushedRow =
  | { ok: true; id: string; rev: string }
  | { id: string | null; error: string; reason: string; code?: string }

/**
 * CouchDB's `_bulk_docs`. A row says `ok` only when the proposal was accepted or equals the stored
 * version. `conflict` makes the client read the stored version, which carries any refusal (P6), and
 * the times that replace those ahead: its own would hide every change until then.
 * `forbidden`: no document can carry it; with a `code`, it can be retried.
 * @returns with `new_edits: false` only the failed rows, as CouchDB does
 */
export async function pushDocuments(
  database: SyncDatabase,
  push: { docs: unknown; isReplicated: boolean },
): Promise<PushedRow[]> {
  const { docs, isReplicated } = push
  if (!Array.isArray(docs)) throw badRequest('docs must be a list of documents')
  if (docs.length > limits.syncBatchMaxDocuments) {
    throw tooLarge(`At most ${limits.syncBatchMaxDocuments} documents can be pushed at once.`)
  }
  const reads = readProposals(docs, isReplicated)
  const proposals = reads.flatMap((read) => (read.kind === 'proposal' ? [read.proposal] : []))
  const outcomes = (await database.accept(proposals)).values()
  const rows = reads.map((read) => toRow(read, outcomes))
  if (!isReplicated) return rows
  // A conflict is no failure here: the stored version became the child of the pushed one.
  return rows.filter((row) => 'error' in row && row.error !== 'conflict')
}

/** A document's tree keeps at most `leavesMax` leaves: further ones would be wasted work (P12). */
function readProposals(docs: readonly unknown[], isReplicated: boolean): ReadProposal[] {
  const counts = new Map<string, number>()
  return docs.map((doc) => {
    const read = readProposal(doc, { isReplicated })
    if (read.kind === 'unstorable') return read
    const { id } = read.proposal
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (count <= leavesMax) return read
    const reason = `At most ${leavesMax} revisions of one document can be pushed at once.`
    return { kind: 'unstorable', id, reason }
  })
}

function toRow(read: ReadProposal, outcomes: Iterator<Outcome<Document>>): PushedRow {
  if (read.kind === 'unstorable') return { id: read.id, error: 'forbidden', reason: read.reason }
  const { id } = read.proposal
  const { value: outcome } = outcomes.next()
  if (outcome?.kind === 'heldBack') {
    const { code, error: reason } = outcome.refusal
    return { id, error: 'forbidden', reason, code }
  }
  if (outcome?.kind !== 'stored') {
    // A document that never existed counts as removed; the client needs some revision in its
    // answer.
    return { ok: true, id, rev: `1-${createHash('md5').update(id).digest('hex')}` }
  }
  if (outcome.isTaken && !outcome.isClamped) return { ok: true, id, rev: outcome.rev }
  return { id, error: 'conflict', reason: 'Document update conflict.' }
}
