/** A caller's JSON document: its own fields and an `_id`. */
export interface Document {
  _id: string
}

/** A stored document, with the revision read. */
export type Stored<Body extends Document> = Body & { _rev: string }

/** A place in a database's history: a number on LevelDB, an opaque string on CouchDB. */
export type Seq = number | string

/** The ancestry of a revision in CouchDB's form: newest first, `start` is the newest's generation. */
export interface Revisions {
  start: number
  ids: string[]
}

export interface Change<Body extends Document> {
  id: string
  seq: Seq
  changes: { rev: string }[]
  deleted?: boolean
  doc?: Stored<Body>
}

export interface ChangesPage<Body extends Document> {
  results: Change<Body>[]
  last_seq: Seq
}

/** The range of ids that begin with `prefix`. */
export function idsFrom(prefix: string) {
  return { startkey: prefix, endkey: `${prefix}\uffff` }
}

/** A document as it is written and told: without the revision of the database that it was read from. */
export function withoutRev<T extends object>(document: T & { _rev?: string }): Omit<T, '_rev'> {
  const { _rev, ...rest } = document
  return rest
}
