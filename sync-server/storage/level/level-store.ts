import { ClassicLevel } from 'classic-level'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import { probeDisk } from './probe-disk.ts'

const MiB = 2 ** 20

/** One key to write, in UTF-8; `del` removes it. */
export type Operation =
  | { type: 'put'; key: string; value: string | Buffer }
  | { type: 'del'; key: string }

/** A range of keys: `gte <= key < lt`. */
export interface KeyRange {
  gte: string
  lt: string
}

export type Level = ClassicLevel<string, string | Buffer>

interface Waiting {
  operations: readonly Operation[]
  isSynced: boolean
  generation: number | undefined
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * A full buffer becomes a table, and reads soon make LevelDB merge it with the whole first level:
 * with 4 MiB, a busy server spends a twentieth of its processor time on that.
 */
const writeBufferSize = 16 * MiB
const joinedMaxOperations = 20_000
const reopenEveryMs = 250
const retryAloneMs = 1_000
const asBuffer = { valueEncoding: 'buffer' } as const

/**
 * One LevelDB for everybody. Writes that arrive during a write go to disk together: one batch, one
 * sync. A failed write may leave a torn record, after which LevelDB would lose acknowledged data:
 * so it retires the handle; writes resume after reopening with a new log, reads work meanwhile.
 * @param location the folder
 * @param isSynced every write waits for the disk
 * @param wrap for tests: wraps LevelDB
 */
export async function openLevelStore(options: {
  location: string
  isSynced: boolean
  wrap?: ((level: Level) => Level) | undefined
}) {
  const { location, isSynced, wrap = (level) => level } = options
  const counted = { syncedWrites: 0, keysWritten: 0 }
  const waiting: Waiting[] = []
  const state = {
    level: (await open()) as Level | undefined,
    /**
     * Rises when a handle is retired, and again when replaced, because the failed write may be
     * stored after all: caches from before must be reread.
     */
    generation: 0,
    failure: undefined as unknown,
    retryAt: 0,
    writing: undefined as Promise<void> | undefined,
    reopening: undefined as Promise<void> | undefined,
    nextTry: undefined as NodeJS.Timeout | undefined,
    isClosed: false,
  }
  const listeners = new Set<() => void>()

  async function open(): Promise<Level> {
    const level: Level = new ClassicLevel(location, {
      keyEncoding: 'utf8',
      valueEncoding: 'utf8',
      writeBufferSize,
      cacheSize: 64 * MiB,
      maxOpenFiles: 1_000,
    })
    await level.open().catch((error: unknown) => {
      throw new StorageUnavailable(describeOpening(location, error), { cause: error })
    })
    return wrap(level)
  }

  function fail(error: unknown) {
    if (state.isClosed) return
    if (state.failure === undefined) state.generation += 1
    state.failure = error
    state.retryAt = performance.now() + reopenEveryMs
    // It recovers without another write.
    clearTimeout(state.nextTry)
    state.nextTry = setTimeout(() => ensureSound().catch(() => undefined), retryAloneMs).unref()
  }

  function refusal() {
    if (state.isClosed) return new StorageUnavailable('storage is closed')
    const { failure } = state
    const words = wordsOf(failure)
    return new StorageUnavailable(`nothing can be stored: ${words}`, { cause: failure })
  }

  /** Reopens a retired handle. @throws StorageUnavailable while that fails */
  async function ensureSound() {
    if (state.isClosed) throw refusal()
    if (state.failure === undefined) return
    if (performance.now() < state.retryAt) throw refusal()
    state.reopening ??= reopen().finally(() => {
      state.reopening = undefined
    })
    await state.reopening
  }

  async function reopen() {
    try {
      // Opening writes the log into a table: without room for it, reads would fail too.
      await probeDisk(location, 2 * writeBufferSize)
      const old = state.level
      state.level = undefined
      await old?.close()
      state.level = await open()
      state.failure = undefined
      state.generation += 1
      clearTimeout(state.nextTry)
      for (const listener of listeners) listener()
    } catch (error) {
      fail(error)
      throw refusal()
    }
  }

  async function writeAll() {
    while (waiting.length > 0) {
      const group = takeGroup(waiting)
      try {
        await ensureSound()
        await writeNow(refuseOutdated(group))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    // Synchronously: the next caller must not take it for running.
    state.writing = undefined
  }

  /**
   * @returns those decided on the current state; writing the others could give two documents one
   * place
   */
  function refuseOutdated(group: readonly Waiting[]): Waiting[] {
    return group.filter(({ generation, reject }) => {
      const isCurrent = generation === undefined || generation === state.generation
      if (!isCurrent)
        reject(new StorageUnavailable('the data was opened again in the middle of it'))
      return isCurrent
    })
  }

  async function writeNow(group: readonly Waiting[]) {
    if (group.length === 0) return
    const operations = group.flatMap((one) => one.operations)
    const sync = group.some((one) => one.isSynced)
    const { level } = state
    if (!level) throw refusal()
    try {
      await fillBatch(level, operations).write({ sync })
    } catch (error) {
      fail(error)
      throw refusal()
    }
    counted.keysWritten += operations.length
    if (sync) counted.syncedWrites += 1
  }

  return {
    /** The handle for reading. @throws StorageUnavailable while there is none */
    async read(): Promise<Level> {
      if (state.level) return state.level
      await ensureSound()
      if (!state.level) throw refusal()
      return state.level
    },

    /** As `read`, but only if the handle is available at once. */
    readNow: () => state.level,

    ensureSound,
    /** False from a failed write until the handle is replaced. */
    isSound: () => state.failure === undefined,

    /**
     * Resolves when all of this is stored.
     * @param mustSync waits for the disk, even where others do not
     * @param generation that the decision read: refused if it is not the current one
     * @throws StorageUnavailable when it is unknown whether all or nothing is stored
     */
    write(
      operations: readonly Operation[],
      { mustSync = false, generation }: { mustSync?: boolean; generation?: number } = {},
    ): Promise<void> {
      return new Promise((resolve, reject) => {
        const isOwnSynced = isSynced || mustSync
        waiting.push({ operations, isSynced: isOwnSynced, generation, resolve, reject })
        state.writing ??= writeAll()
      })
    },

    /** Removes every key of a range, without waiting for the disk. */
    async clear(range: KeyRange): Promise<void> {
      await ensureSound()
      const { level } = state
      if (!level) throw refusal()
      await level.clear(range).catch((error: unknown) => {
        fail(error)
        throw refusal()
      })
    },

    /** Reads may be wrong: reopens the handle before the next write, if it is still this one. */
    recordReadFailure(level: Level | undefined, error: unknown) {
      if (level !== undefined && level === state.level) fail(error)
    },

    /**
     * Calls back whenever a retired handle was replaced: an earlier failed write may be stored
     * after all.
     */
    onReopened(listener: () => void) {
      listeners.add(listener)
    },
    generation: () => state.generation,
    stats: () => ({ ...counted }),

    /** Waits for pending work; refuses new work. */
    async close(): Promise<void> {
      await state.writing
      state.isClosed = true
      clearTimeout(state.nextTry)
      await state.reopening?.catch(() => undefined)
      const { level } = state
      state.level = undefined
      await level?.close()
    },
  }
}

export type LevelStore = Awaited<ReturnType<typeof openLevelStore>>

function describeOpening(location: string, error: unknown): string {
  const { code, message } = (error as { cause?: { code?: string; message?: string } }).cause ?? {}
  return code === 'LEVEL_LOCKED'
    ? `Another server works on ${location}. Stop it, or give this one a folder of its own: DATA_DIR.`
    : `The data in ${location} cannot be opened: ${message ?? error}`
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let count = 0
  const end = waiting.findIndex(({ operations }) => {
    count += operations.length
    return count > joinedMaxOperations
  })
  return waiting.splice(0, end === -1 ? waiting.length : Math.max(end, 1))
}

/**
 * One call for each key: for an array, the binding would read each property of each operation, which
 * takes more than twice the processor time.
 */
function fillBatch(level: Level, operations: readonly Operation[]) {
  const batch = level.batch()
  for (const operation of operations) {
    if (operation.type === 'del') batch.del(operation.key)
    else if (typeof operation.value === 'string') batch.put(operation.key, operation.value)
    else batch.put(operation.key, operation.value, asBuffer)
  }
  return batch
}
