import { createCouchHome } from './create-couch-home.ts'
import { createDatabasePool } from './create-database-pool.ts'
import { createLevelHome } from './create-level-home.ts'
import { createSignals, type Signals } from './create-signals.ts'
import { createStoredAttachments, type StoredAttachments } from './create-stored-attachments.ts'
import { createStoredDatabase, type StoredDatabase } from './create-stored-database.ts'
import { createWriteQueues } from './create-write-queues.ts'
import { isDatabaseName } from './database-names.ts'
import type { Document } from './documents.ts'

export interface StorageOptions {
  /** Folder for LevelDB; not used with `couchdbUrl`. */
  dataDir: string
  /** A CouchDB to use in place of LevelDB. */
  couchdbUrl?: string
  /** At most so many databases are open at once. */
  openDatabases?: number
  /** An unused database is closed after this time. */
  idleCloseMs?: number
  /** `sync` (default): what is acknowledged survives a power cut. LevelDB only. */
  durability?: 'sync' | 'relaxed'
  /** Where changes are announced; in this process when absent. */
  signals?: Signals
}

interface StorageStats {
  open: number
  inUse: number
  /** Calls that wait because `openDatabases` are open and in use. */
  waiting: number
  /** Updates that wait for the write before them. */
  queuedUpdates: number
  /** Writes that have waited for the disk since the start. */
  syncedWrites: number
}

/** The only door to stored data. */
export interface Storage {
  /** Changes of every database, as they are written. */
  readonly signals: Signals
  /**
   * A database by name (`^[a-z][a-z0-9_-]*$`). Costs nothing: it is opened by the calls on it.
   * `Body` is what its only writers put there; it is trusted, not parsed again.
   */
  database<Body extends Document>(name: string): StoredDatabase<Body>
  /** The bytes that lie in a database of that name. */
  attachments(name: string): StoredAttachments
  /** Removes a database with all that is in it; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** Rejects with the reason when nothing can be stored now. */
  ready(): Promise<void>
  stats(): StorageStats
  /** Waits for what is under way and closes every database; calls that come later reject. */
  close(): Promise<void>
}

export function createStorage(options: StorageOptions): Storage {
  const { dataDir, couchdbUrl, durability = 'sync' } = options
  const home = couchdbUrl
    ? createCouchHome({ couchdbUrl })
    : createLevelHome({ dataDir, durability })
  const maxOpen = options.openDatabases ?? 500
  const pool = createDatabasePool({ home, maxOpen, idleCloseMs: options.idleCloseMs ?? 10_000 })
  const signals = options.signals ?? createSignals()
  const queues = createWriteQueues({ pool, signals })

  function requireName(name: string) {
    if (!isDatabaseName(name)) throw new Error(`${JSON.stringify(name)} cannot name a database`)
  }

  return {
    signals,
    database<Body extends Document>(name: string) {
      requireName(name)
      // What is read has been put there as a Body: PouchDB gives back what it was given.
      return createStoredDatabase({ name, pool, queues }) as unknown as StoredDatabase<Body>
    },
    attachments(name) {
      requireName(name)
      return createStoredAttachments({ name, pool })
    },
    destroy: (name) => pool.destroy(name),
    ready: () => home.ready(),
    stats: () => ({
      ...pool.stats(),
      queuedUpdates: queues.countWaiting(),
      syncedWrites: home.countSyncedWrites(),
    }),
    close: () => pool.close(),
  }
}
