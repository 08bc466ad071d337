import type { Level } from '../level/level-store.ts'

/**
 * What a refused write leaves: nothing; a torn record, after which LevelDB continues and at the
 * next opening loses everything since; or all of it, visible from the next opening on, as when only
 * the sync failed.
 */
export type Remains = 'nothing' | 'torn' | 'unseen'

export interface FullDisk {
  /** How many writes still find room. */
  after: number
  /** How many writes then fail. */
  count: number
  leaves: Remains
}

export interface Death {
  /** How many writes come before the one at which the process dies. */
  after: number
  /** Whether that write is stored; either way it gets no answer. */
  side: 'before' | 'after'
  /** Called when the process dies. */
  onDeath?: () => void
}

/** A filled batch's write: the only way in which the store writes. */
type Write = () => Promise<void>

/** The store's read: a key, or the next ones of a range. */
type Read = (...given: readonly unknown[]) => Promise<unknown>

export type FaultyDisk = ReturnType<typeof createFaultyDisk>

/**
 * For tests: a disk that can be full, and a process that can die at any write. Pass its `wrapLevel`
 * to the storage.
 */
export function createFaultyDisk() {
  const state = {
    writes: 0,
    refused: 0,
    /** How many reads pass before one fails. */
    readsLeft: undefined as number | undefined,
    full: undefined as FullDisk | undefined,
    death: undefined as Death | undefined,
    process: { isDead: false },
  }

  function takeDeath(): Death | undefined {
    const { death } = state
    if (!death) return undefined
    state.death = death.after > 0 ? { ...death, after: death.after - 1 } : undefined
    return death.after > 0 ? undefined : death
  }

  function takeRefusal(): Remains | undefined {
    const { full } = state
    if (!full) return undefined
    if (full.after > 0) {
      state.full = { ...full, after: full.after - 1 }
      return undefined
    }
    state.full = full.count > 1 ? { ...full, count: full.count - 1 } : undefined
    return full.leaves
  }

  const readFailure = () => new Error('IO error: Input/output error')

  /** @throws Error at the read that is to fail */
  function passRead() {
    if (state.readsLeft === undefined) return
    state.readsLeft = state.readsLeft > 0 ? state.readsLeft - 1 : undefined
    if (state.readsLeft === undefined) throw readFailure()
  }

  function guardRead(read: Read): Read {
    return async (...given) => {
      passRead()
      return await read(...given)
    }
  }

  function wrapLevel(level: Level): Level {
    const own = state.process
    const handle = { isTorn: false, unseen: [] as Write[] }
    const openBatch = level.batch.bind(level)
    const close = level.close.bind(level)

    function openFaultyBatch() {
      const batch = openBatch()
      const write = batch.write.bind(batch)
      return Object.assign(batch, {
        write: (...given: Parameters<typeof write>) => writeFaulty(() => write(...given)),
      })
    }

    async function writeFaulty(store: Write): Promise<void> {
      if (own.isDead) throw new Error('The process was killed.')
      state.writes += 1
      const death = takeDeath()
      if (death) {
        const stored = death.side === 'after' && !handle.isTorn ? store() : undefined
        own.isDead = true
        death.onDeath?.()
        await stored
        throw new Error('The process was killed.')
      }
      const leaves = takeRefusal()
      if (!leaves) return handle.isTorn ? undefined : await store()
      state.refused += 1
      handle.isTorn ||= leaves === 'torn'
      if (leaves === 'unseen' && !handle.isTorn) handle.unseen.push(store)
      throw Object.assign(new Error('IO error: No space left on device'), { code: 'ENOSPC' })
    }

    async function closeAfterUnseen(): Promise<void> {
      for (const store of handle.unseen.splice(0)) await store()
      await close()
    }
    const get = level.get.bind(level) as unknown as Read
    const getSync = level.getSync.bind(level) as unknown as (
      ...given: readonly unknown[]
    ) => unknown
    const getMany = level.getMany.bind(level) as unknown as Read
    /** The unreadable key of a multi-key read: it also fails alone. */
    const damaged = new Set<unknown>()
    async function readOne(...given: readonly unknown[]) {
      if (damaged.delete(given[0])) throw readFailure()
      passRead()
      return await get(...given)
    }
    function readAtOnce(...given: readonly unknown[]) {
      passRead()
      return getSync(...given)
    }
    async function readMany(...given: readonly unknown[]) {
      for (const key of given[0] as readonly unknown[]) {
        try {
          passRead()
        } catch (error) {
          damaged.add(key)
          throw error
        }
      }
      return await getMany(...given)
    }
    const open = level.iterator.bind(level)
    function iterate(...given: Parameters<typeof open>) {
      const iterator = open(...given)
      const next = iterator.next.bind(iterator) as unknown as Read
      const nextv = iterator.nextv.bind(iterator) as unknown as Read
      return Object.assign(iterator, {
        next: guardRead(next) as typeof iterator.next,
        nextv: guardRead(nextv) as typeof iterator.nextv,
      })
    }
    return Object.assign(level, {
      batch: openFaultyBatch as Level['batch'],
      close: closeAfterUnseen,
      get: readOne as unknown as Level['get'],
      getSync: readAtOnce as Level['getSync'],
      getMany: readMany as unknown as Level['getMany'],
      iterator: iterate as Level['iterator'],
    })
  }

  return {
    wrapLevel,
    fillUp(full: FullDisk) {
      state.full = full
    },
    makeRoom() {
      state.full = undefined
    },
    dieAt(death: Death | undefined) {
      state.death = death
    },
    /** Fails the read after `after` others. */
    failRead({ after }: { after: number }) {
      state.readsLeft = after
    },
    /** False until that many reads have happened. */
    hasReadFailed: () => state.readsLeft === undefined,
    isDead: () => state.process.isDead,
    /** Starts a new process, unaffected by the faults set for the one before. */
    beginLife() {
      state.death = undefined
      state.process = { isDead: false }
    },
    /** Writes since the start, and how many of them found no room. */
    countWrites: () => state.writes,
    countRefused: () => state.refused,
  }
}
