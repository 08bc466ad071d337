import { must } from '../../../schema/helpers/assertions.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { revisionsKept } from '../documents/grow-branch.ts'
import { openPouch, type Pouch } from '../documents/pouch.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { type Migrate, type OpenDatabase, openDatabase } from './level-database.ts'
import type { LevelStore } from './level-store.ts'
import { createPrefixedLeveldown, rangeOf, type View } from './prefixed-leveldown.ts'

interface Entry {
  generation: number
  opened: Promise<OpenDatabase>
  inUse: number
  idleSince: number
  /** A read failed: PouchDB's cached state may be wrong. */
  isSpoilt: boolean
  /** Set when closing begins: resolves when closed. */
  closed?: Promise<void>
  whenUnused?: () => void
}

/**
 * A store's databases: open while in use, and a little longer. Opening one costs two reads; opening
 * PouchDB for one that needs it costs three more and about 60 kB of memory, no file and no write.
 * @param idleCloseMs how long an unused database stays open
 */
export function createOpenDatabases(options: { store: LevelStore; idleCloseMs: number }) {
  const { store, idleCloseMs } = options
  const leveldown = createPrefixedLeveldown(store)
  /** In the order of last use. */
  const entries = new Map<string, Entry>()
  const state = { isClosed: false, timer: undefined as NodeJS.Timeout | undefined }

  async function open(name: string): Promise<OpenDatabase> {
    const view = leveldown.openView(name)
    try {
      return await openDatabase(view, (migrate) => openSound(name, view, migrate))
    } finally {
      throwReadFailure(view, store)
    }
  }

  async function openSound(name: string, view: View, migrate: Migrate): Promise<Pouch> {
    const kept = { auto_compaction: true, revs_limit: revisionsKept }
    const settings = { adapter: 'leveldb', db: leveldown.connect, migrate, ...kept }
    // Otherwise it names revisions by serialising every byte of a file as JSON: two thirds of an
    // upload's cost.
    const pouch = await openPouch(name, { ...settings, deterministic_revs: false })
    try {
      throwReadFailure(view, store)
    } catch (error) {
      // PouchDB would return the same instance to the next caller.
      await pouch.close()
      throw error
    }
    return pouch
  }

  const isSound = (entry: Entry) => !entry.isSpoilt && entry.generation === store.generation()

  async function acquire(name: string): Promise<Entry> {
    for (;;) {
      if (state.isClosed)
        throw new StorageUnavailable(`storage is closed; ${name} cannot be opened`)
      const found = entries.get(name)
      if (!found) break
      if (found.closed === undefined && isSound(found)) {
        found.inUse += 1
        return found
      }
      // After a failed write PouchDB must reread the database's place.
      await retire(name, found)
    }
    const entry: Entry = {
      generation: store.generation(),
      opened: open(name),
      inUse: 1,
      idleSince: 0,
      isSpoilt: false,
    }
    entries.set(name, entry)
    entry.opened.catch(() => entries.delete(name))
    return entry
  }

  /** Does not wait for their pending work, so it must store nothing more. */
  async function spoilTogether(used: readonly Entry[]) {
    const opened = await Promise.all(used.map((entry) => entry.opened.catch(() => undefined)))
    const failure = opened.find((one) => one?.view.readFailure() !== undefined)?.view.readFailure()
    if (failure === undefined) return
    for (const one of opened) one?.view.spoil(failure)
    for (const entry of used) entry.isSpoilt = true
  }

  function release(name: string, entry: Entry) {
    entry.inUse -= 1
    if (entry.inUse > 0) return
    entry.whenUnused?.()
    if (entry.closed !== undefined || entries.get(name) !== entry) return
    entry.idleSince = performance.now()
    entries.delete(name)
    entries.set(name, entry)
    state.timer ??= setTimeout(closeIdle, idleCloseMs).unref()
  }

  function retire(name: string, entry: Entry): Promise<void> {
    entry.closed ??= closeUnused(name, entry)
    return entry.closed
  }

  async function closeUnused(name: string, entry: Entry) {
    if (entry.inUse > 0) {
      await new Promise<void>((resolve) => {
        entry.whenUnused = resolve
      })
    }
    const opened = await entry.opened.catch(() => undefined)
    try {
      await opened?.close()
      opened?.view.close()
      // The next opening must see the current writes.
      if (!isSound(entry)) await store.write([]).catch(() => undefined)
    } finally {
      entries.delete(name)
    }
  }

  function closeIdle() {
    state.timer = undefined
    const now = performance.now()
    for (const [name, entry] of entries) {
      if (entry.inUse > 0 || entry.closed !== undefined) continue
      const leftMs = entry.idleSince + idleCloseMs - now
      if (leftMs > 0) {
        state.timer = setTimeout(closeIdle, leftMs).unref()
        return
      }
      retire(name, entry).catch(() => undefined)
    }
  }

  /** Runs `work` with databases open; creates missing ones. @throws StorageUnavailable */
  async function openAll<Result>(
    names: readonly string[],
    work: (databases: ReadonlyMap<string, OpenDatabase>) => Promise<Result>,
  ): Promise<Result> {
    const acquired = new Map<string, Entry>()
    try {
      await Promise.all(names.map(async (name) => acquired.set(name, await acquire(name))))
      const databases = new Map<string, OpenDatabase>()
      for (const [name, { opened }] of acquired) databases.set(name, await opened)
      const views = [...databases.values()].map(({ view }) => view)
      return await untilReadFailure(views, store, () => work(databases))
    } catch (error) {
      await spoilTogether([...acquired.values()])
      throw error
    } finally {
      for (const [name, entry] of acquired) release(name, entry)
    }
  }

  return {
    openAll,
    use: <Result>(name: string, work: (database: OpenDatabase) => Promise<Result>) =>
      openAll([name], (databases) => work(must(databases.get(name), name))),
    /** Removes a database with all its contents once nobody uses it. */
    async destroy(name: string): Promise<void> {
      const entry = entries.get(name)
      if (entry) await retire(name, entry)
      const closed = store.clear(rangeOf(name)).finally(() => entries.delete(name))
      const gone = Promise.reject(new Error(`${name} is being removed`))
      gone.catch(() => undefined)
      const unusable = { generation: -1, inUse: 0, idleSince: 0, isSpoilt: true }
      entries.set(name, { ...unusable, opened: gone, closed })
      await closed
    },
    stats: () => ({
      open: entries.size,
      inUse: [...entries.values()].filter((entry) => entry.inUse > 0).length,
    }),
    /** Refuses new work, waits for pending work, and closes every database. */
    async close(): Promise<void> {
      state.isClosed = true
      clearTimeout(state.timer)
      await Promise.all([...entries].map(([name, entry]) => retire(name, entry)))
    },
  }
}

export type OpenDatabases = ReturnType<typeof createOpenDatabases>

/** PouchDB's operation may never end after a failed read: do not wait for it. */
async function untilReadFailure<Result>(
  views: readonly View[],
  store: LevelStore,
  work: () => Promise<Result>,
): Promise<Result> {
  const failed = createDeferred<never>()
  failed.promise.catch(() => undefined)
  const forget = views.map((view) =>
    view.onReadFailure((cause) => failed.reject(store.refuseRead(cause))),
  )
  try {
    const result = await Promise.race([work(), failed.promise])
    for (const view of views) throwReadFailure(view, store)
    return result
  } finally {
    for (const end of forget) end()
  }
}

function throwReadFailure(view: View, store: LevelStore) {
  const failure = view.readFailure()
  if (failure !== undefined) throw store.refuseRead(failure)
}
