import type { Pouch } from './pouch.ts'

/** Where databases live: folders of LevelDB on this machine, or a CouchDB. */
export interface DatabaseHome {
  /** Opens a database and makes it when it is not there. */
  open(name: string): Promise<Pouch>
  /** Removes a database that is not open, and all that is in it; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** Rejects with the reason when databases cannot be opened here. */
  ready(): Promise<void>
  /** How many writes have waited for the disk; stays 0 where the disk is not ours. */
  countSyncedWrites(): number
}
