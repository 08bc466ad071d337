import { randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asStorageError } from '../databases/as-storage-error.ts'
import type { TallyingHome } from '../databases/database-home.ts'
import { createReadyCheck } from '../databases/ready-check.ts'
import type { Signals } from '../databases/signals.ts'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import { type Level, openLevelStore } from './level-store.ts'
import { createLevelWriter } from './level-writer.ts'
import type { OpenDatabase } from './open-database.ts'
import { createOpenDatabases } from './open-databases.ts'
import { lastSeqKey } from './pouch-keys.ts'
import { rangeOf } from './prefixed-leveldown.ts'
import { readCurrent } from './read-current.ts'
import { createStoredTallies } from './stored-tallies.ts'
import { type TakeOverOptions, takeOverFolders } from './take-over-folders.ts'

/** No database can have this name. */
const readyKey = '!ready'

export interface LevelHomeOptions {
  dataDir: string
  /** `sync` waits for the disk at each write; `relaxed` leaves that to the operating system. */
  durability: 'sync' | 'relaxed'
  idleCloseMs: number
  signals: Signals
  /** Called with the progress of migrating an earlier version's folders. */
  onTakeOver: (progress: { done: number; of: number }) => void
  /** Called with an earlier version's damaged databases. */
  onSetAside: TakeOverOptions['onSetAside']
  /** For tests: stands between the store and LevelDB. */
  wrapLevel?: ((level: Level) => Level) | undefined
}

/** All databases in one LevelDB under `dataDir/store`, for one process at a time. */
export function createLevelHome(options: LevelHomeOptions): TallyingHome {
  const { dataDir, durability, idleCloseMs, signals, onTakeOver, onSetAside, wrapLevel } = options
  const opening = open()
  // The first caller gets the error.
  opening.catch(() => undefined)

  async function open() {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await chmod(dataDir, 0o700)
    const location = join(dataDir, 'store')
    const isSynced = durability === 'sync'
    const store = await openLevelStore({ location, isSynced, wrap: wrapLevel })
    try {
      const folder = join(dataDir, 'databases')
      await takeOverFolders({ folder, store, onProgress: onTakeOver, onSetAside })
    } catch (error) {
      await store.close()
      throw error
    }
    const databases = createOpenDatabases({ store, idleCloseMs })
    const tallies = createStoredTallies(store)
    const writer = createLevelWriter({ databases, store, tallies, signals })
    return { store, databases, tallies, writer }
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

  async function use<Result>(name: string, work: (database: OpenDatabase) => Promise<Result>) {
    const { databases } = await opening
    return await databases.use(name, work).catch((error: unknown) => {
      throw asStorageError(error)
    })
  }

  return {
    use: (name, work) => use(name, async ({ pouch }) => await work(await pouch())),
    read: (name, ids) => use(name, (database) => readCurrent(database, new Set(ids))),
    transact: async (transaction) => await (await opening).writer.transact(transaction),
    async readSeq(name) {
      const { store } = await opening
      const level = store.readNow() ?? (await store.read())
      return Number((await level.get(rangeOf(name).gte + lastSeqKey)) ?? 0)
    },
    readTally: async (name) => await (await opening).tallies.read(name),
    async destroy(name) {
      const { databases, tallies } = await opening
      tallies.forget(name)
      // Do not cache reads during the removal either.
      await databases.destroy(name).finally(() => tallies.forget(name))
    },
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
