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
  /** Where the bodies that are kept are stored. */
  rev_map?: Record<string, number>
  deleted?: boolean
}

/** All of it, as this server writes it. */
export interface WholeMetadata extends PouchMetadata {
  id: string
  /** The newest revision. */
  rev: string
  rev_tree: { pos: number; ids: RevisionNode }[]
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
