import { idPattern } from '../../schema/id.ts'
import type { Proposal } from '../messages/proposals/proposal.ts'
import type { Revisions } from '../storage/documents/documents.ts'

/**
 * A pushed document that can be proposed, or its id (if any) and the reason why it is not storable.
 */
export type ReadProposal =
  | { kind: 'proposal'; proposal: Proposal }
  | { kind: 'unstorable'; id: string | null; reason: string }

const mostRevisions = 1_000
/**
 * Values in a document: ten times as many as any has that the app writes. Parsing checks each value
 * by itself, which takes seconds for a million.
 */
const mostValues = 5_000
const revisionPattern = /^[0-9A-Za-z]{1,64}$/

/** Storable ids: no leading `_`, nothing special to JavaScript or in a path. */
export function isStorableId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id)
}

/**
 * Reads one document of a push. Ignores its own `_rev`: the rule merges, whatever the client has
 * seen.
 * @param isReplicated pushed with `new_edits: false`, under a revision of the client's own making
 */
export function readProposal(
  doc: unknown,
  { isReplicated }: { isReplicated: boolean },
): ReadProposal {
  if (typeof doc !== 'object' || doc === null || Array.isArray(doc)) {
    return { kind: 'unstorable', id: null, reason: 'A document must be a JSON object.' }
  }
  const raw = doc as Record<string, unknown>
  const id = raw._id
  if (!isStorableId(id)) {
    const named = typeof id === 'string' ? id : null
    return {
      kind: 'unstorable',
      id: named,
      reason: 'A document needs a UUID in lower case as its id.',
    }
  }
  if (hasContent(raw._attachments)) {
    return { kind: 'unstorable', id, reason: 'Attachments are not stored in documents.' }
  }
  if (hasMoreValues(raw, mostValues)) {
    return { kind: 'unstorable', id, reason: `A document has at most ${mostValues} values.` }
  }
  const proposal = { id, raw, isDeleted: raw._deleted === true }
  if (!isReplicated) return { kind: 'proposal', proposal }
  const revisions = readRevisions(raw)
  if (revisions) return { kind: 'proposal', proposal: { ...proposal, revisions } }
  return {
    kind: 'unstorable',
    id,
    reason: 'A replicated document needs a valid _rev and _revisions.',
  }
}

function hasContent(attachments: unknown): boolean {
  return (
    typeof attachments === 'object' && attachments !== null && Object.keys(attachments).length > 0
  )
}

function hasMoreValues(whole: object, most: number): boolean {
  const left: unknown[] = [whole]
  let count = 0
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    const inner = Object.values(value)
    count += inner.length
    if (count > most) return true
    // One by one: as arguments, a million of them would overflow the stack.
    for (const one of inner) left.push(one)
  }
  return false
}

function readRevisions({ _rev, _revisions }: Record<string, unknown>): Revisions | undefined {
  const [, start, hash] = typeof _rev === 'string' ? (/^(\d{1,9})-(.+)$/.exec(_rev) ?? []) : []
  if (!start || !hash || !revisionPattern.test(hash)) return undefined
  if (_revisions === undefined) return { start: Number(start), ids: [hash] }
  const { start: top, ids } = (_revisions ?? {}) as Partial<Revisions>
  if (top !== Number(start) || !Array.isArray(ids) || ids[0] !== hash) return undefined
  // PouchDB cannot distinguish two revisions of one hash on a path.
  if (ids.length > Math.min(top, mostRevisions) || new Set(ids).size < ids.length) return undefined
  return ids.every((id) => typeof id === 'string' && revisionPattern.test(id))
    ? { start: top, ids }
    : undefined
}
