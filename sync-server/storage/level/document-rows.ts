import { createHash } from 'node:crypto'
import type { DocumentWrite } from '../documents/database.ts'
import type { Document, Revisions, Stored } from '../documents/documents.ts'
import { nameRev, revisionsKept } from '../documents/grow-branch.ts'
import { DocumentDamaged } from '../documents/storage-errors.ts'
import type { Operation } from './level-store.ts'

/** The keys of one database behind its prefix: README.md says what each holds. */
export const keyOf = {
  document: (id: string) => `d/${id}`,
  place: (seq: number) => `s/${String(seq).padStart(16, '0')}`,
  bytes: (id: string, digest: string) => `b/${id}\0${digest}`,
  local: (id: string) => `l/${id}`,
  counters: 'c',
}

/** All keys of a kind: no kind's first character is `0`, which follows `/`. */
export const rangeOfKind = (kind: 'd' | 's' | 'b' | 'l') => ({ gte: `${kind}/`, lt: `${kind}0` })

/** A database's keys: no name contains `!`. */
export function rangeOf(name: string) {
  return { gte: `${name}!`, lt: `${name}"` }
}

/** What the writes of a database have come to. */
export interface Counters {
  /** The last place that a write has taken. */
  seq: number
  /** How many documents are not deleted. */
  count: number
  /** What writes have added for a reader of their own. */
  tally: number
}

export function readCounters(text: string | undefined): Counters {
  return { seq: 0, count: 0, tally: 0, ...(text === undefined ? {} : parse(text)) }
}

/** The end of a branch: the revisions that led to it, newest first, and its body as JSON. */
export interface LeafRow extends Revisions {
  isDeleted?: true
  text: string
}

/** A document as one value: its place, and its leaves, the winning one first. */
export interface Row {
  seq: number
  leaves: readonly LeafRow[]
}

/** JSON has no line breaks of its own: a line for place and revisions, and one for each body. */
export function encodeRow({ seq, leaves }: Row): string {
  const revisions = leaves.map(({ text: _, ...leaf }) => leaf)
  return [JSON.stringify({ seq, leaves: revisions }), ...leaves.map(({ text }) => text)].join('\n')
}

/** @throws DocumentDamaged */
export function decodeRow(value: string): Row {
  const [head = '', ...texts] = value.split('\n')
  const row = parse(head) as Row
  if (!Array.isArray(row.leaves) || row.leaves.length !== texts.length || texts.length === 0) {
    throw damaged()
  }
  for (const [index, leaf] of row.leaves.entries()) leaf.text = texts[index] ?? ''
  return row
}

/** The error has no cause: that would quote the text. */
function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged()
  }
}

const damaged = () => new DocumentDamaged('a stored document is damaged')

/** A leaf's document, with its revision; a deleted one says so. @throws DocumentDamaged */
export function toDocument(id: string, leaf: LeafRow): Stored<Document> & { _deleted?: true } {
  const document = parse(leaf.text)
  document._id = id
  document._rev = nameRev(leaf)
  if (leaf.isDeleted) document._deleted = true
  return document
}

/** The winning version, unless the document is missing or deleted. */
export function currentOf(id: string, row: Row | undefined): Stored<Document> | undefined {
  const winner = row?.leaves[0]
  return winner && !winner.isDeleted ? toDocument(id, winner) : undefined
}

/** The documents that exist, by id. */
export function pickCurrent(
  rows: ReadonlyMap<string, Row | undefined>,
): Map<string, Stored<Document>> {
  const docs = new Map<string, Stored<Document>>()
  for (const [id, row] of rows) {
    const doc = currentOf(id, row)
    if (doc) docs.set(id, doc)
  }
  return docs
}

/** Without an open leaf a document is not there. */
export const isDeleted = ([winner]: readonly LeafRow[]) =>
  winner === undefined || winner.isDeleted === true

/** Is this revision on the path to a leaf? */
export function hasRevision({ start, ids }: Revisions, generation: number, hash: string): boolean {
  return ids[start - generation] === hash
}

/**
 * The leaves once a revision is added, as CouchDB would have them: it takes the place of the leaf
 * that it grew from, or begins a branch.
 * @returns undefined for a revision that is there already
 */
export function addLeaf(leaves: readonly LeafRow[], added: LeafRow): LeafRow[] | undefined {
  const [hash = ''] = added.ids
  if (leaves.some((leaf) => hasRevision(leaf, added.start, hash))) return undefined
  const ids = joinAncestry(leaves, added).slice(0, revisionsKept)
  const others = leaves.filter((leaf) => !hasRevision(added, leaf.start, leaf.ids[0] ?? ''))
  return [...others, { ...added, ids }].toSorted(byWinner)
}

/** Who adds a revision may know less of its past than is stored. */
function joinAncestry(leaves: readonly LeafRow[], { start, ids }: LeafRow): string[] {
  for (const [index, hash] of ids.entries()) {
    const known = leaves.find((leaf) => hasRevision(leaf, start - index, hash))
    if (!known) continue
    const joined = [...ids.slice(0, index), ...known.ids.slice(known.start - start + index)]
    return joined.length > ids.length ? joined : ids
  }
  return ids
}

/** CouchDB's order, the same on every server: open ones, then the longer path, then the name. */
export function byWinner(a: LeafRow, b: LeafRow): number {
  const deleted = Number(a.isDeleted ?? false) - Number(b.isDeleted ?? false)
  return deleted || b.start - a.start || ((a.ids[0] ?? '') > (b.ids[0] ?? '') ? -1 : 1)
}

const ownFields = new Set(['_id', '_rev', '_deleted', '_revisions', '_attachments'])

export interface AttachmentStub {
  content_type?: string
  digest: string
  length: number
  revpos: number
  stub: true
}

/** An attachment as it is written: with its bytes, in base64 from a replicator. */
type WrittenAttachment = Partial<AttachmentStub> & { data?: string | Buffer }

/**
 * A document that is to be written, as a leaf under its revision.
 * @returns also the operations that store its bytes
 * @throws Error for a document that CouchDB would refuse
 */
export function toLeaf(document: DocumentWrite): { leaf: LeafRow; bytes: Operation[] } {
  const {
    _id,
    _rev = '',
    _deleted,
    _revisions,
    _attachments,
    ...fields
  } = document as DocumentWrite & { _attachments?: Record<string, WrittenAttachment> }
  const isReserved = _id.startsWith('_') && !_id.startsWith('_design/')
  if (_id === '' || isReserved) throw new Error(`${JSON.stringify(_id)} cannot name a document`)
  const unknown = Object.keys(document).find((key) => key.startsWith('_') && !ownFields.has(key))
  if (unknown) throw new Error(`a document cannot have a field ${unknown}`)
  const { start, ids } = _revisions ?? splitRev(_rev)
  const bytes: Operation[] = []
  let body: object = fields
  if (_attachments && Object.keys(_attachments).length > 0) {
    const stubs = Object.entries(_attachments).map(([name, { data, ...given }]) => {
      const stub =
        data === undefined
          ? given
          : describeBytes(data, { ...given, revpos: given.revpos ?? start })
      if (data !== undefined) bytes.push(putBytes(_id, stub.digest ?? '', data))
      return [name, stub] as const
    })
    body = { ...fields, _attachments: Object.fromEntries(stubs) }
  }
  const leaf: LeafRow = { start, ids, text: JSON.stringify(body) }
  if (_deleted) leaf.isDeleted = true
  return { leaf, bytes }
}

const toBytes = (data: string | Buffer) =>
  typeof data === 'string' ? Buffer.from(data, 'base64') : data

function describeBytes(
  data: string | Buffer,
  { content_type, revpos }: { content_type?: string; revpos: number },
): AttachmentStub {
  const bytes = toBytes(data)
  const digest = `md5-${createHash('md5').update(new Uint8Array(bytes)).digest('base64')}`
  return { ...(content_type && { content_type }), digest, length: bytes.length, revpos, stub: true }
}

const putBytes = (id: string, digest: string, data: string | Buffer): Operation => ({
  type: 'put',
  key: keyOf.bytes(id, digest),
  value: toBytes(data),
})

/** A leaf's attachments by name. */
export function attachmentsOf({ text }: LeafRow): Record<string, AttachmentStub> {
  return text.includes('"_attachments"') ? (parse(text)._attachments ?? {}) : {}
}

/** The operations that remove bytes which no leaf names any more. */
export function dropBytes(
  id: string,
  before: readonly LeafRow[],
  after: readonly LeafRow[],
): Operation[] {
  const digestsOf = (leaves: readonly LeafRow[]) =>
    new Set(leaves.flatMap((leaf) => Object.values(attachmentsOf(leaf)).map((one) => one.digest)))
  const kept = digestsOf(after)
  return [...digestsOf(before)]
    .filter((digest) => !kept.has(digest))
    .map((digest) => ({ type: 'del', key: keyOf.bytes(id, digest) }))
}

/** A revision's generation and hash, as the path that knows nothing before it. */
export function splitRev(rev: string): Revisions {
  const at = rev.indexOf('-')
  return { start: Number(rev.slice(0, at)), ids: [rev.slice(at + 1)] }
}
