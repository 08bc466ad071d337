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
  /** Documents that nobody has asked for, because their ids cannot be taken yet. */
  create?: readonly Document[]
  /** Added to the database's tally, with the write that it is of. */
  tally?: number
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
 */
export interface Transaction<Result> {
  parts: readonly Part[]
  /** May run several times: whatever it has decided before was not written, or only the first of it. */
  decide: (read: ReadPart) => TransactionDecision<Result>
  /** Called before it begins again, with the database in which something had changed. */
  onChanged?: (name: string) => Promise<void>
  /** Called after each write where databases are written one after the other, and holds up the next. */
  onWritten?: (name: string) => void | Promise<void>
}

export interface TransactionOutcome<Result> {
  result: Result
  /** The revision under which each document of a database lies now that was asked for or written. */
  revs: (name: string) => ReadonlyMap<string, string>
}

/** One of several databases could not be read or written; what comes before it in the order may be written. */
export class TransactionFailed extends Error {
  override name = 'TransactionFailed'
  readonly database: string

  constructor(database: string, cause: unknown) {
    super(`${database} could not be read or written`, { cause })
    this.database = database
  }
}
