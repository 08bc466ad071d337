import type { Document, Seq, Stored } from '../documents/documents.ts'
import type { Pouch } from '../documents/pouch.ts'
import type { Transaction, TransactionOutcome } from '../documents/transaction.ts'

export interface HomeStats {
  /** Databases that are open, and those that are read or written now. */
  open: number
  inUse: number
  /** Updates that wait for those before them. */
  queuedUpdates: number
  /** Writes that have waited for the disk, and keys written, since the start; 0 where the disk is not ours. */
  syncedWrites: number
  keysWritten: number
}

/** Where databases live: a LevelDB on this machine, or a CouchDB. */
export interface DatabaseHome {
  /** Runs `work` with the database open; made when it is not there. @throws StorageUnavailable */
  use<Result>(name: string, work: (pouch: Pouch) => Promise<Result>): Promise<Result>
  /** The documents that are there, by id. */
  read(name: string, ids: readonly string[]): Promise<Map<string, Stored<Document>>>
  transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>>
  /** Where the database stands. */
  readSeq(name: string): Promise<Seq>
  /** Removes a database once nobody uses it, and all that is in it; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** Stores something and reads it again. @throws with the reason when that is not possible */
  ready(): Promise<void>
  stats(): HomeStats
  /** After so many milliseconds nothing waits any more for a CouchDB that does not answer, and whatever comes later fails. */
  giveUpIn(withinMs: number): void
  /** Waits for what is under way; whatever comes later is refused. */
  close(): Promise<void>
}

/** A home that keeps the tallies of its databases. */
export interface TallyingHome extends DatabaseHome {
  /** What the writes of a database have added to its tally since it was made. */
  readTally(name: string): Promise<number>
}
