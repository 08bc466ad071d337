import type { Database } from './database.ts'
import type { Document, Seq, Stored } from './documents.ts'
import type { Transaction, TransactionOutcome } from './transaction.ts'

export interface HomeStats {
  /** Open databases, and those being read or written now. */
  open: number
  inUse: number
  /** Updates waiting for earlier ones. */
  queuedUpdates: number
  /**
   * Writes that waited for the disk, and keys written, since the start; 0 without a disk of our
   * own.
   */
  syncedWrites: number
  keysWritten: number
}

/** The home of databases: a LevelDB on this machine, or a CouchDB. */
export interface DatabaseHome {
  /** Runs `work` with the database open; creates it if missing. @throws StorageUnavailable */
  use<Result>(name: string, work: (database: Database) => Promise<Result>): Promise<Result>
  /** The existing documents, by id. */
  read(name: string, ids: readonly string[]): Promise<Map<string, Stored<Document>>>
  transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>>
  /** The names of all databases that are there. */
  list(): Promise<string[]>
  /** The database's current place. */
  readSeq(name: string): Promise<Seq>
  /** Removes a database with all its contents once nobody uses it; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** Stores and rereads a probe. @throws with the reason when that fails */
  ready(): Promise<void>
  stats(): HomeStats
  /** After `withinMs` fails pending and new requests to a CouchDB that does not answer. */
  giveUpIn(withinMs: number): void
  /** Waits for pending work; refuses new work. */
  close(): Promise<void>
}

/** A home that stores its databases' tallies. */
export interface TallyingHome extends DatabaseHome {
  /** What a database's writes have added to its tally since its creation. */
  readTally(name: string): Promise<number>
  /** Stores another in its place; nobody may write the database meanwhile. */
  writeTally(name: string, tally: number): Promise<void>
}
