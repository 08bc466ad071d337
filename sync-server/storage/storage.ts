import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'
import type { TimeLimits } from './couch/answer-in-time.ts'
import { createCouchHome } from './couch/couch-home.ts'
import type { HomeStats, TallyingHome } from './documents/database-home.ts'
import { isDatabaseName } from './documents/database-names.ts'
import type { Document } from './documents/documents.ts'
import { createReadyCheck } from './documents/ready-check.ts'
import { createSignals, type Signals } from './documents/signals.ts'
import { asStorageError, DatabaseGone, StorageUnavailable } from './documents/storage-errors.ts'
import { type SingleDatabases, transactInTurn } from './documents/transact-in-turn.ts'
import type { Transaction, TransactionOutcome } from './documents/transaction.ts'
import { updateOne } from './documents/update-one.ts'
import { keyOf, rangeOf, readCounters } from './level/document-rows.ts'
import type { LevelDatabase } from './level/level-database.ts'
import { type Level, openLevelStore } from './level/level-store.ts'
import { createLevelWriter } from './level/level-writer.ts'
import { createOpenDatabases } from './level/open-databases.ts'
import { type TakeOverOptions, takeOverFolders } from './level/take-over-folders.ts'
import { listDatabases, takeOverPouchdb } from './level/take-over-pouchdb.ts'
import { createNotedTallies, talliesDatabase } from './noted-tallies.ts'
import { createReplica, type Replica } from './replica.ts'
import { createStoredAttachments, type StoredAttachments } from './stored-attachments.ts'
import { createStoredDatabase, type StoredDatabase } from './stored-database.ts'

/** Where a repair builds a sound store, before it takes the damaged one's place. */
export const repairedFolder = 'store.repaired'

const entriesAtOnce = 500

const pageMaxBytes = 2 ** 20

/** No database can have this name. */
const readyKey = '!ready'

const databasesRemembered = 100_000

const brokenShown = 10

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
  /** Called with words for the operator when something stored turns out damaged. LevelDB only. */
  onDamage?: LevelHomeOptions['onDamage']
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
  /**
   * Every key with its value, as they are at the first read, in pages; undefined on a CouchDB. Later
   * writes do not show.
   */
  readonly readAll: (() => AsyncIterable<readonly StoredEntry[]>) | undefined
  /** The names of all databases that are there; an empty one may be missing. */
  list(): Promise<string[]>
  /** A database as a move copies it: with all revisions. */
  replica(name: string): Replica
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
  const { onSetAside = () => undefined, onDamage = () => undefined } = options
  const { onError = () => undefined } = options
  const isAtomic = couchdbUrl === undefined && options.isAtomic !== false
  const opened: { readAll?: () => AsyncIterable<readonly StoredEntry[]> } = {}
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
      onDamage,
      onTakeOver,
      onSetAside,
      wrapLevel,
    })
    opened.readAll = level.readAll
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
      // Every document was put there as a Body, and a database returns what it was given.
      return createStoredDatabase({ name, home }) as unknown as StoredDatabase<Body>
    },
    transact(transaction) {
      for (const { name } of transaction.parts) requireName(name)
      return home.transact(transaction)
    },
    readAll: opened.readAll,
    attachments(name) {
      requireName(name)
      return createStoredAttachments({ name, home, isAtomic })
    },
    async list() {
      return (await home.list()).filter((name) => name !== talliesDatabase).sort()
    },
    replica(name) {
      requireName(name)
      return createReplica({ name, home })
    },
    destroy: (name) => home.destroy(name),
    retire,
    ready: () => home.ready(),
    stats: () => home.stats(),
    giveUpIn: home.giveUpIn,
    close: () => home.close(),
  }
}

/** For tests of crashes: LevelDB that writes databases in sequence, like CouchDB. */
function createInTurnHome(home: TallyingHome): TallyingHome {
  const databases: SingleDatabases = {
    read: home.read,
    update: (name, { ids, decide }) => updateOne(home, name, { ids, decide }),
  }
  return {
    ...home,
    async transact(transaction) {
      return transaction.parts.length > 1
        ? await transactInTurn(databases, transaction)
        : await home.transact(transaction)
    },
  }
}

/**
 * A home that can remove databases permanently: waits for pending work, and later calls cannot
 * recreate them. Each call checks once it holds the database open, which a removal waits for.
 */
function createLastingRemovals(home: TallyingHome) {
  const gone = new LRUCache<string, true>(atMost(databasesRemembered))

  function requireThere(name: string) {
    if (gone.has(name)) throw new DatabaseGone(name)
  }

  const lasting: TallyingHome = {
    ...home,
    async use(name, work) {
      requireThere(name)
      return await home.use(name, async (database) => {
        requireThere(name)
        return await work(database)
      })
    },
    async read(name, ids) {
      requireThere(name)
      return await home.read(name, ids)
    },
    async transact(transaction) {
      return await home.transact({
        ...transaction,
        decide(read) {
          for (const { name } of transaction.parts) requireThere(name)
          return transaction.decide(read)
        },
      })
    },
  }

  return {
    home: lasting,
    async retire(name: string) {
      gone.set(name, true)
      await home.destroy(name)
    },
  }
}

/** A key and its value, as LevelDB has them. */
export type StoredEntry = readonly [Uint8Array, Uint8Array]

interface LevelHomeOptions {
  dataDir: string
  /** `sync` waits for the disk at each write; `relaxed` leaves that to the operating system. */
  durability: 'sync' | 'relaxed'
  idleCloseMs: number
  signals: Signals
  /** Called with the progress of migrating an earlier version's folders. */
  /** Called with words for the operator when something stored turns out damaged. */
  onDamage: (words: string) => void
  onTakeOver: (progress: { done: number; of: number }) => void
  /** Called with an earlier version's damaged databases. */
  onSetAside: TakeOverOptions['onSetAside']
  /** For tests: stands between the store and LevelDB. */
  wrapLevel?: ((level: Level) => Level) | undefined
}

/** All databases in one LevelDB under `dataDir/store`, for one process at a time. */
function createLevelHome(
  options: LevelHomeOptions,
): TallyingHome & { readAll: () => AsyncIterable<readonly StoredEntry[]> } {
  const { dataDir, durability, idleCloseMs, signals, onTakeOver, onSetAside, wrapLevel } = options
  const { onDamage } = options
  const opening = open()
  // The first caller gets the error.
  opening.catch(() => undefined)

  async function open() {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await chmod(dataDir, 0o700)
    await finishRepair(dataDir)
    const location = join(dataDir, 'store')
    const isSynced = durability === 'sync'
    const store = await openLevelStore({ location, isSynced, wrap: wrapLevel, onDamage })
    try {
      const folder = join(dataDir, 'databases')
      await takeOverFolders({ folder, store, onProgress: onTakeOver, onSetAside })
      await takeOverPouchdb({ store, onProgress: onTakeOver, onBroken })
    } catch (error) {
      await store.close()
      throw error
    }
    const databases = createOpenDatabases({ store, idleCloseMs })
    const writer = createLevelWriter({ databases, store, signals })
    return { store, databases, writer }
  }

  function onBroken(name: string, ids: readonly string[]) {
    const shown = ids.slice(0, brokenShown).join(', ')
    onDamage(
      `${ids.length} documents of ${name} are broken, and were not taken over: ${shown}. What is left of them stays in ${dataDir}.`,
    )
  }

  async function checkReady() {
    const { store } = await opening
    const value = randomUUID()
    await store.write([{ type: 'put', key: readyKey, value }])
    const found = await (await store.read()).get(readyKey)
    if (found !== value) throw new StorageUnavailable('what is stored cannot be read again')
  }
  const state = { opened: undefined as Awaited<typeof opening> | undefined }
  opening.then(
    (opened) => {
      state.opened = opened
    },
    () => undefined,
  )

  async function use<Result>(name: string, work: (database: LevelDatabase) => Promise<Result>) {
    const { databases } = await opening
    return await databases.use(name, work).catch((error: unknown) => {
      throw asStorageError(error)
    })
  }

  return {
    /** A LevelDB iterator sees the store as it was when it was made. */
    async *readAll() {
      const { store } = await opening
      const level = await store.read()
      const iterator = level.iterator<Uint8Array, Uint8Array>({
        keyEncoding: 'view',
        valueEncoding: 'view',
        highWaterMarkBytes: pageMaxBytes,
        // What people read stays in the cache.
        fillCache: false,
      })
      try {
        for (;;) {
          const page = await iterator.nextv(entriesAtOnce)
          if (page.length === 0) return
          yield page
        }
      } finally {
        await iterator.close()
      }
    },
    use,
    read: (name, ids) => use(name, (database) => database.readAll(new Set(ids))),
    transact: async (transaction) => await (await opening).writer.transact(transaction),
    async readSeq(name) {
      const { store } = await opening
      const level = store.readNow() ?? (await store.read())
      const key = rangeOf(name).gte + keyOf.counters
      const text = await level.get(key).catch((error: unknown) => {
        throw store.refuseRead(error)
      })
      return readCounters(text === undefined ? undefined : String(text)).seq
    },
    async list() {
      const { store } = await opening
      const level = await store.read()
      return await listDatabases(level)
    },
    writeTally: (name, tally) => use(name, (database) => database.writeTally(tally)),
    readTally: (name) => use(name, async ({ counters }) => counters.tally),
    destroy: async (name) => await (await opening).databases.destroy(name),
    ready: createReadyCheck(checkReady, () => state.opened?.store.isSound() ?? true),
    stats: () => ({
      ...(state.opened?.databases.stats() ?? { open: 0, inUse: 0 }),
      queuedUpdates: state.opened?.writer.countWaiting() ?? 0,
      ...(state.opened?.store.stats() ?? { syncedWrites: 0, keysWritten: 0 }),
    }),
    giveUpIn: () => undefined,
    async close() {
      const opened = await opening.catch(() => undefined)
      await opened?.writer.settle()
      await opened?.databases.close()
      await opened?.store.close()
    },
  }
}

/** A repair may have ended between its last two steps: LevelDB would begin an empty store there. */
async function finishRepair(dataDir: string): Promise<void> {
  const names = await readdir(dataDir)
  if (names.includes('store') || !names.includes(repairedFolder)) return
  await rename(join(dataDir, repairedFolder), join(dataDir, 'store'))
}
