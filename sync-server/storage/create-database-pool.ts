import type { DatabaseHome } from './database-home.ts'
import type { Pouch } from './pouch.ts'

interface Entry {
  pouch: Promise<Pouch>
  inUse: number
  idleSince: number
}

/**
 * Keeps databases open while they are used and a little longer.
 * @param maxOpen how many may be open at once; further ones wait until one can be closed
 * @param idleCloseMs how long an unused database stays open
 */
export function createDatabasePool(options: {
  home: DatabaseHome
  maxOpen: number
  idleCloseMs: number
}) {
  const { home, maxOpen, idleCloseMs } = options
  /** In the order of last use, so the first idle one is the one to give up. */
  const open = new Map<string, Entry>()
  const closing = new Map<string, Promise<void>>()
  const waiting: (() => void)[] = []
  const state = { isClosed: false, timer: undefined as NodeJS.Timeout | undefined }

  async function use<Result>(name: string, work: (pouch: Pouch) => Promise<Result>) {
    const entry = await acquire(name)
    try {
      return await work(await entry.pouch)
    } finally {
      release(name, entry)
    }
  }

  async function acquire(name: string): Promise<Entry> {
    for (;;) {
      if (state.isClosed) throw new Error(`storage is closed; ${name} cannot be opened`)
      const entry = open.get(name)
      if (entry) {
        entry.inUse += 1
        return entry
      }
      if (closing.has(name)) await closing.get(name)
      else if (open.size + closing.size < maxOpen) return openNow(name)
      else await makeRoom()
    }
  }

  function openNow(name: string): Entry {
    const entry = { pouch: home.open(name), inUse: 1, idleSince: 0 }
    open.set(name, entry)
    entry.pouch.catch(() => open.delete(name))
    return entry
  }

  async function makeRoom() {
    for (const [name, entry] of open) if (entry.inUse === 0) return await closeNow(name, entry)
    if (closing.size > 0) await Promise.race(closing.values())
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function release(name: string, entry: Entry) {
    entry.inUse -= 1
    if (entry.inUse > 0 || open.get(name) !== entry) return wakeAll()
    entry.idleSince = Date.now()
    open.delete(name)
    open.set(name, entry)
    state.timer ??= setTimeout(closeIdle, idleCloseMs).unref()
    wakeAll()
  }

  function wakeAll() {
    for (const wake of waiting.splice(0)) wake()
  }

  function closeIdle() {
    state.timer = undefined
    const now = Date.now()
    for (const [name, entry] of open) {
      if (entry.inUse > 0) continue
      const leftMs = entry.idleSince + idleCloseMs - now
      if (leftMs > 0) {
        state.timer = setTimeout(closeIdle, leftMs).unref()
        return
      }
      closeNow(name, entry).catch(() => undefined)
    }
  }

  function closeNow(name: string, entry: Entry): Promise<void> {
    open.delete(name)
    const closed = entry.pouch
      .then((pouch) => pouch.close())
      .finally(() => {
        closing.delete(name)
        wakeAll()
      })
    closing.set(name, closed)
    return closed
  }

  async function stepTowardsClosed(name: string): Promise<void> {
    const entry = open.get(name)
    if (!entry) await closing.get(name)
    else if (entry.inUse === 0) await closeNow(name, entry)
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    /** Runs `work` with the database open. `work` must not use the pool again: it could wait for itself. */
    use,
    /** Removes a database once nobody uses it. */
    async destroy(name: string) {
      while (open.has(name) || closing.has(name)) await stepTowardsClosed(name)
      const destroyed = home.destroy(name).finally(() => {
        closing.delete(name)
        wakeAll()
      })
      closing.set(name, destroyed)
      await destroyed
    },
    /** Refuses what comes from now on, waits for what is under way, and closes every database. */
    async close() {
      state.isClosed = true
      clearTimeout(state.timer)
      for (const name of [...open.keys()]) {
        while (open.has(name)) await stepTowardsClosed(name)
      }
      await Promise.all(closing.values())
    },
    stats: () => ({
      open: open.size + closing.size,
      inUse: [...open.values()].filter((entry) => entry.inUse > 0).length,
      waiting: waiting.length,
    }),
  }
}

export type DatabasePool = ReturnType<typeof createDatabasePool>
