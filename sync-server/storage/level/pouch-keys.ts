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
