import type { Document } from './documents.ts'
import type { PushedRevision } from './grow-branch.ts'

/** Documents of one database that a transaction looks at. `isNew`: they are believed not to be there yet. */
export interface Part {
  name: string
  ids: readonly string[]
  isNew?: boolean | undefined
}

/** What is to be written into one database. A body with `_deleted: true` removes its document. */
export interface DatabaseWrite {
  name: string
  put?: readonly Document[]
  /** Leaves that a replicating client holds; what is stored becomes their child. */
  pushed?: readonly PushedRevision[]
}

/** The stored documents of one of the parts' databases, by id and without `_rev`; absent ones are not in the map. */
export type ReadPart = <Body extends Document>(name: string) => ReadonlyMap<string, Body>

export interface TransactionDecision<Result> {
  /** In the order in which they are written where they cannot be written at once. */
  writes: readonly DatabaseWrite[]
  result: Result
}

/**
 * Several databases written together. On LevelDB all of it is stored or nothing, in one wait for the disk. On CouchDB
 * one database after the other, in the order of `writes`; whatever has changed meanwhile begins it again.
 * `decide` is a pure function and may run several times.
 */
export interface Transaction<Result> {
  parts: readonly Part[]
  decide: (read: ReadPart) => TransactionDecision<Result>
}

export interface TransactionOutcome<Result> {
  result: Result
  /** The revision under which each of the asked documents of a database lies now; absent ones are not in the map. */
  revs: (name: string) => ReadonlyMap<string, string>
}
