import type { Document, Stored } from '../documents/documents.ts'
import type { PouchWrite } from '../documents/pouch.ts'
import type { Counters } from './level-database.ts'
import type { Operation } from './level-store.ts'
import {
  bySequence,
  documentCountKey,
  documentStore,
  formatSeq,
  lastSeqKey,
  type RevisionNode,
  type WholeMetadata,
} from './pouch-keys.ts'

/** An edit under its own revision; `_revisions` names the one before it, too. */
export type NamedEdit = PouchWrite & { _rev: string }

/** An edit whose keys need nothing of PouchDB. Its place is still open. */
export interface PlainEdit {
  body: Stored<Document>
  metadata: WholeMetadata
  /** Where the version before is stored. */
  replaced: number | undefined
}

/**
 * An edit of a new document, or of one whose revisions are one line that ends with the stored
 * version, the only one with a body.
 * @param stored the version that the edit follows
 * @param metadata as PouchDB keeps it; the plan takes it over
 * @returns undefined for everything else, which PouchDB writes
 */
export function planPlainEdit(options: {
  edit: NamedEdit
  stored: Stored<Document> | undefined
  metadata: WholeMetadata | undefined
  revsLimit: number
}): PlainEdit | undefined {
  const { edit, stored, metadata, revsLimit } = options
  const { _revisions, ...body } = edit
  if (!isOrdinary(body)) return undefined
  if (metadata === undefined) {
    return stored ? undefined : { body, metadata: begin(body), replaced: undefined }
  }
  if (!stored || '_attachments' in stored) return undefined
  const kept = metadata.rev_map ?? {}
  const replaced = kept[stored._rev]
  const isOnlyBody = replaced !== undefined && Object.keys(kept).length === 1
  const isWinner = metadata.winningRev === stored._rev && metadata.deleted === false
  const grown = isOnlyBody && isWinner && grow(metadata, { stored, body, revsLimit })
  return grown ? { body, metadata: grown, replaced } : undefined
}

/** The keys of edits, as PouchDB places, writes and compacts them after `last`. */
export function writeEdits(edits: readonly PlainEdit[], last: Counters) {
  const operations: Operation[] = []
  let { seq, count } = last
  for (const { body, metadata, replaced } of edits.toSorted(byId)) {
    seq += 1
    if (replaced === undefined) count += 1
    else operations.push({ type: 'del', key: bySequence + formatSeq(replaced) })
    const placed = { ...metadata, rev_map: { [body._rev]: seq }, seq }
    operations.push(
      { type: 'put', key: bySequence + formatSeq(seq), value: JSON.stringify(body) },
      { type: 'put', key: documentStore + body._id, value: JSON.stringify(placed) },
    )
  }
  operations.push(
    { type: 'put', key: lastSeqKey, value: String(seq) },
    { type: 'put', key: documentCountKey, value: String(count) },
  )
  return { operations, seq, count }
}

const byId = (a: PlainEdit, b: PlainEdit) => (a.body._id < b.body._id ? -1 : 1)

/** No attachments, no deletion, and nothing that PouchDB refuses. */
function isOrdinary(body: Document): boolean {
  if (body._id === '' || body._id.startsWith('_')) return false
  return Object.keys(body).every((field) => !field.startsWith('_') || ownFields.has(field))
}

const ownFields = new Set(['_id', '_rev'])

function begin({ _id, _rev }: Stored<Document>): WholeMetadata {
  const { pos, hash } = split(_rev)
  const ids: RevisionNode = [hash, { status: 'available' }, []]
  return { ...describe({ _id, _rev }), rev_tree: [{ pos, ids }] }
}

const describe = ({ _id, _rev }: Stored<Document>) => ({
  id: _id,
  rev: _rev,
  rev_map: {},
  winningRev: _rev,
  deleted: false,
})

/** @returns undefined unless the revisions are one line that ends with the stored version */
function grow(
  before: WholeMetadata,
  given: { stored: Stored<Document>; body: Stored<Document>; revsLimit: number },
): WholeMetadata | undefined {
  const { stored, body, revsLimit } = given
  const [tree, ...others] = before.rev_tree
  if (!tree || others.length > 0) return undefined
  let leaf = tree.ids
  let length = 1
  for (let [next] = leaf[2]; next; [next] = leaf[2]) {
    if (leaf[2].length > 1) return undefined
    leaf = next
    length += 1
  }
  const parent = split(stored._rev)
  const own = split(body._rev)
  if (leaf[0] !== parent.hash || tree.pos + length - 1 !== parent.pos || own.pos !== parent.pos + 1)
    return undefined
  leaf[1].status = 'missing'
  leaf[2] = [[own.hash, { status: 'available' }, []]]
  let root: RevisionNode = tree.ids
  let { pos } = tree
  for (let left = length + 1; left > revsLimit; left -= 1) {
    const [next] = root[2]
    if (!next) return undefined
    root = next
    pos += 1
  }
  return { ...describe(body), rev_tree: [{ pos, ids: root }] }
}

function split(rev: string): { pos: number; hash: string } {
  const at = rev.indexOf('-')
  return { pos: Number(rev.slice(0, at)), hash: rev.slice(at + 1) }
}
