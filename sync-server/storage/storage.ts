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
  /** Folder for LevelDB; not used with `couchdbUrl`. */
  dataDir: string
  /** A CouchDB to use in place of LevelDB. */
  couchdbUrl?: string
  /** An unused database is closed after this time. LevelDB only. */
  idleCloseMs?: number
  /** `sync` (default): what is acknowledged survives a power cut. LevelDB only. */
  durability?: 'sync' | 'relaxed'
  /** Where changes are announced; in this process when absent. */
  signals?: Signals
  /** Told how far the take-over of an earlier version's data is. */
  onTakeOver?: LevelHomeOptions['onTakeOver']
  /** Told of databases of an earlier version that were damaged, and of which not all could be taken over. */
  onSetAside?: LevelHomeOptions['onSetAside']
  /** How long a request to CouchDB may take. */
  couchLimits?: Partial<TimeLimits>
  /** For tests of crashes: false writes databases one after the other also where they could be written at once. */
  isAtomic?: boolean
  /** Told of what failed in the background. */
  onError?: (error: unknown) => void
  /** For tests: stands between the store and LevelDB. */
  wrapLevel?: LevelHomeOptions['wrapLevel']
}

/** The only door to stored data. */
export interface Storage {
  /** Changes of every database, as they are written. */
  readonly signals: Signals
  /** Is what belongs together written at once, so that a crash leaves nothing half? */
  readonly isAtomic: boolean
  /**
   * A database by name (`^[a-z][a-z0-9_-]*$`). Costs nothing: it is opened by the calls on it.
   * `Body` is what its only writers put there; it is trusted, not parsed again.
   */
  database<Body extends Document>(name: string): StoredDatabase<Body>
  /** Writes several databases together. */
  transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>>
  /** The bytes that lie in a database of that name. */
  attachments(name: string): StoredAttachments
  /** Removes a database with all that is in it; a missing one is no error. */
  destroy(name: string): Promise<void>
  /** As `destroy`, and for good: calls that come later reject with `DatabaseGone`. */
  retire(name: string): Promise<void>
  /** Stores something and reads it again. Rejects with the reason when nothing can be stored now. */
  ready(): Promise<void>
  stats(): HomeStats
  /** After so many milliseconds nothing waits any more for a CouchDB that does not answer, and whatever comes later fails. */
  giveUpIn(withinMs: number): void
  /** Waits for what is under way and closes every database; calls that come later reject. */
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
      // What is read has been put there as a Body: PouchDB gives back what it was given.
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
