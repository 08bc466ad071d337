import { must } from '../../../schema/helpers/assertions.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { rangeOf } from './document-rows.ts'
import { createJoinedGets, createRecentKeys, type JoinedGets } from './key-reads.ts'
import { type LevelDatabase, openLevelDatabase } from './level-database.ts'
import type { Level, LevelStore } from './level-store.ts'

interface Entry {
  generation: number
  opened: Promise<LevelDatabase>
  inUse: number
  idleSince: number
  /** Set when closing begins: resolves when closed. */
  closed?: Promise<void>
  whenUnused?: () => void
}

/**
 * A store's databases: open while in use, and a little longer. Opening one costs a read, no file and
 * no write.
 * @param idleCloseMs how long an unused database stays open
 */
export function createOpenDatabases(options: { store: LevelStore; idleCloseMs: number }) {
  const { store, idleCloseMs } = options
  const joined = new WeakMap<Level, JoinedGets>()
  const isOfDocument = (key: string) => key.startsWith('d/') || key === 'c'
  const recentKeys = createRecentKeys({ isRemembered: isOfDocument })
  /** In the order of last use. */
  const entries = new Map<string, Entry>()
  const state = { isClosed: false, timer: undefined as NodeJS.Timeout | undefined }

  function getFrom(level: Level): JoinedGets {
    const found = joined.get(level) ?? createJoinedGets(level)
    joined.set(level, found)
    return found
  }

  /** After a failed write what an open one remembers may be wrong. */
  const isSound = (entry: Entry) => entry.generation === store.generation()

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
      await retire(name, found)
    }
    const entry: Entry = {
      generation: store.generation(),
      opened: openLevelDatabase({ name, store, recent: recentKeys.openView(), getFrom }),
      inUse: 1,
      idleSince: 0,
    }
    entries.set(name, entry)
    entry.opened.catch(() => {
      if (entries.get(name) === entry) entries.delete(name)
    })
    return entry
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
    // The next opening must see what a failed write has stored after all.
    if (!isSound(entry)) await store.ensureSound().catch(() => undefined)
    if (entries.get(name) === entry) entries.delete(name)
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
      entries.delete(name)
    }
  }

  /** Runs `work` with databases open; creates missing ones. @throws StorageUnavailable */
  async function openAll<Result>(
    names: readonly string[],
    work: (databases: ReadonlyMap<string, LevelDatabase>) => Promise<Result>,
  ): Promise<Result> {
    const acquired = new Map<string, Entry>()
    try {
      await Promise.all(names.map(async (name) => acquired.set(name, await acquire(name))))
      const databases = new Map<string, LevelDatabase>()
      for (const [name, { opened }] of acquired) databases.set(name, await opened)
      return await work(databases)
    } finally {
      for (const [name, entry] of acquired) release(name, entry)
    }
  }

  return {
    openAll,
    use: <Result>(name: string, work: (database: LevelDatabase) => Promise<Result>) =>
      openAll([name], (databases) => work(must(databases.get(name), name))),
    /** Removes a database with all its contents once nobody uses it. */
    async destroy(name: string): Promise<void> {
      const entry = entries.get(name)
      if (entry) await retire(name, entry)
      const closed = store.clear(rangeOf(name)).finally(() => entries.delete(name))
      const gone = Promise.reject(new Error(`${name} is being removed`))
      gone.catch(() => undefined)
      entries.set(name, { generation: -1, inUse: 0, idleSince: 0, opened: gone, closed })
      await closed
    },
    stats: () => ({
      open: entries.size,
      inUse: [...entries.values()].filter((entry) => entry.inUse > 0).length,
    }),
    /** Refuses new work, and waits until every database is unused. */
    async close(): Promise<void> {
      state.isClosed = true
      clearTimeout(state.timer)
      await Promise.all([...entries].map(([name, entry]) => retire(name, entry)))
    },
  }
}

export type OpenDatabases = ReturnType<typeof createOpenDatabases>
