/** The keys of PouchDB's leveldb adapter within one database. */
export const documentStore = '\xffdocument-store\xff'
export const bySequence = '\xffby-sequence\xff'
export const lastSeqKey = '\xffmeta-store\xff_local_last_update_seq'
export const documentCountKey = '\xffmeta-store\xff_local_doc_count'

/** The part of a document's metadata that is read here. */
export interface PouchMetadata {
  /** Of the newest revision, which need not be the winning one. */
  seq?: number
  winningRev?: string
  rev_map?: Record<string, number>
  deleted?: boolean
}

/** A document's metadata, as PouchDB has written it with a cached winner. */
export interface WholeMetadata {
  id: string
  /** The newest revision. */
  rev: string
  rev_tree: { pos: number; ids: RevisionNode }[]
  /** Where the bodies that are kept are stored. */
  rev_map: Record<string, number>
  winningRev: string
  deleted: boolean
  seq?: number
}

/** A revision's hash, whether its body is kept, and its children. */
export type RevisionNode = [
  hash: string,
  { status: 'available' | 'missing'; deleted?: boolean },
  RevisionNode[],
]

/** A place as a key: its decimal digits in order. */
export function formatSeq(seq: number): string {
  return String(seq).padStart(16, '0')
}
