import type { Document } from './documents.ts'
import type { PushedRevision } from './grow-branch.ts'

/** The documents of one database that a transaction reads. `isNew`: presumed not to exist yet. */
export interface Part {
  name: string
  ids: readonly string[]
  isNew?: boolean | undefined
}

/** The writes to one database. A body with `_deleted: true` removes its document. */
export interface DatabaseWrite {
  name: string
  put?: readonly Document[]
  /** A replicating client's leaves; what is stored becomes their child. */
  pushed?: readonly PushedRevision[]
  /** New documents under ids that nothing else can have taken, so without a read. */
  create?: readonly Document[]
  /** Added to the database's tally, together with this write. */
  tally?: number
}

/**
 * The stored documents of one of the parts' databases, by id and without `_rev`; omits missing
 * ones.
 */
export type ReadPart = <Body extends Document>(name: string) => ReadonlyMap<string, Body>

export interface TransactionDecision<Result> {
  /** In the order of writing where storage is not atomic. */
  writes: readonly DatabaseWrite[]
  /**
   * Read documents that stay unwritten because of what they say (also that they are missing). Where
   * storage is not atomic, a change to one before the last write restarts the transaction.
   */
  unchanged?: readonly Pick<Part, 'name' | 'ids'>[]
  result: Result
}

/**
 * Writes several databases together. On LevelDB atomically, with one wait for the disk. On CouchDB
 * one after the other, in the order of `writes`; a change meanwhile restarts it.
 */
export interface Transaction<Result> {
  parts: readonly Part[]
  /** Nobody waits for it: on LevelDB it waits a moment for others like it. */
  isPatient?: boolean
  /** May run several times: an earlier decision was not written, or only its first part. */
  decide: (read: ReadPart) => TransactionDecision<Result>
  /** Called before a restart, with the database that had changed. */
  onChanged?: (name: string) => Promise<void>
  /** Called after each write where databases are written in sequence; delays the next. */
  onWritten?: (name: string) => void | Promise<void>
}

export interface TransactionOutcome<Result> {
  result: Result
  /** The current revision of each requested or written document of a database. */
  revs: (name: string) => ReadonlyMap<string, string>
}

/** One of several databases could not be read or written; earlier ones in the order may be. */
export class TransactionFailed extends Error {
  override name = 'TransactionFailed'
  readonly database: string

  constructor(database: string, cause: unknown) {
    super(`${database} could not be read or written`, { cause })
    this.database = database
  }
}
