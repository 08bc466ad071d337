import type { TimeLimits } from './couch/answer-in-time.ts'
import { createCouchHome } from './couch/couch-home.ts'
import type { HomeStats, TallyingHome } from './databases/database-home.ts'
import { isDatabaseName } from './databases/database-names.ts'
import { createSignals, type Signals } from './databases/signals.ts'
import type { Document } from './documents/documents.ts'
import type { Transaction, TransactionOutcome } from './documents/transaction.ts'
import { createInTurnHome } from './in-turn-home.ts'
import { createLastingRemovals } from './lasting-removals.ts'
import { createLevelHome, type LevelHomeOptions } from './level/level-home.ts'
import { createNotedTallies } from './noted-tallies.ts'
import { createStoredAttachments, type StoredAttachments } from './stored-attachments.ts'
import { createStoredDatabase, type StoredDatabase } from './stored-database.ts'

export interface StorageOptions {
  /** The folder of LevelDB; unused with `couchdbUrl`. */
  dataDir: string
  /** A CouchDB to use instead of LevelDB. */
  couchdbUrl?: string
  /** How long an unused database stays open. LevelDB only. */
  idleCloseMs?: number
  /** `sync` (default): what is acknowledged survives a power cut. LevelDB only. */
  durability?: 'sync' | 'relaxed'
  /** Announces changes; within this process if absent. */
  signals?: Signals
  /** Called with the progress of migrating an earlier version's data. */
  onTakeOver?: LevelHomeOptions['onTakeOver']
  /** Called with an earlier version's damaged databases that were only partly migrated. */
  onSetAside?: LevelHomeOptions['onSetAside']
  /** Time limits of requests to CouchDB. */
  couchLimits?: Partial<TimeLimits>
  /** For tests of crashes: false writes databases in sequence even where storage is atomic. */
  isAtomic?: boolean
  /** Called with failures in the background. */
  onError?: (error: unknown) => void
  /** For tests: wraps LevelDB. */
  wrapLevel?: LevelHomeOptions['wrapLevel']
}

/** The only access to stored data. */
export interface Storage {
  /** Announces every database's changes as they are written. */
  readonly signals: Signals
  /** Does a transaction store all or nothing, so that a crash leaves nothing half written? */
  readonly isAtomic: boolean
  /**
   * A database by name (`^[a-z][a-z0-9_-]*$`). Free: calls on it open it. `Body` is what its only
   * writers put there; trusted, not parsed again.
   */
  database<Body extends Document>(name: string): StoredDatabase<Body>
  /** Writes several databases together, atomically if `isAtomic`. */
  transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>>
  /** The bytes in a database of that name. */
  attachments(name: string): StoredAttachments
  /** Removes a database with all its contents; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** As `destroy`, but permanent: later calls reject with `DatabaseGone`. */
  retire(name: string): Promise<void>
  /** Stores and rereads a probe. Rejects with the reason when storing fails. */
  ready(): Promise<void>
  stats(): HomeStats
  /** After `withinMs` fails pending and new requests to a CouchDB that does not answer. */
  giveUpIn(withinMs: number): void
  /** Waits for pending work and closes every database; later calls reject. */
  close(): Promise<void>
}

export function createStorage(options: StorageOptions): Storage {
  const { dataDir, couchdbUrl, durability = 'sync', idleCloseMs = 10_000, wrapLevel } = options
  const { signals = createSignals(), onTakeOver = () => undefined, couchLimits: limits } = options
  const { onSetAside = () => undefined } = options
  const { onError = () => undefined } = options
  const isAtomic = couchdbUrl === undefined && options.isAtomic !== false
  const { home, retire } = createLastingRemovals(openHome())

  function openHome(): TallyingHome {
    if (couchdbUrl) {
      return createNotedTallies(createCouchHome({ couchdbUrl, signals, limits }), onError)
    }
    const level = createLevelHome({
      dataDir,
      durability,
      idleCloseMs,
      signals,
      onTakeOver,
      onSetAside,
      wrapLevel,
    })
    return isAtomic ? level : createInTurnHome(level)
  }

  function requireName(name: string) {
    if (!isDatabaseName(name)) throw new Error(`${JSON.stringify(name)} cannot name a database`)
  }

  return {
    signals,
    isAtomic,
    database<Body extends Document>(name: string) {
      requireName(name)
      // Every document was put there as a Body, and PouchDB returns what it was given.
      return createStoredDatabase({ name, home }) as unknown as StoredDatabase<Body>
    },
    transact(transaction) {
      for (const { name } of transaction.parts) requireName(name)
      return home.transact(transaction)
    },
    attachments(name) {
      requireName(name)
      return createStoredAttachments({ name, home, isAtomic })
    },
    destroy: (name) => home.destroy(name),
    retire,
    ready: () => home.ready(),
    stats: () => home.stats(),
    giveUpIn: home.giveUpIn,
    close: () => home.close(),
  }
}
