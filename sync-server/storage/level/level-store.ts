import { ClassicLevel } from 'classic-level'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import { probeDisk } from './probe-disk.ts'

const MiB = 2 ** 20

/** One key to be written, in UTF-8; `del` takes it away. */
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

const writeBufferSize = 4 * MiB
const joinedMaxOperations = 20_000
const reopenEveryMs = 250
const retryAloneMs = 1_000

/**
 * One LevelDB for everybody. What is to be written while a write is under way waits, and then goes to the disk
 * together: one batch, one wait.
 *
 * A write that failed may have left a torn record, behind which LevelDB would go on and lose, at the next opening, what
 * it had acknowledged since. So a failed write retires the handle: nothing is written before it was closed and opened
 * again, which begins a new log. Until there is room for that, what is there can still be read.
 * @param location the folder
 * @param isSynced every write waits for the disk
 * @param wrap for tests: stands between this and LevelDB
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
     * Rises when a handle is retired, and again when it was replaced, because what had failed may be stored after all:
     * what remembers something of before has to read it again.
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
    // Nobody has to write for it to be found sound again.
    clearTimeout(state.nextTry)
    state.nextTry = setTimeout(() => ensureSound().catch(() => undefined), retryAloneMs).unref()
  }

  function refusal() {
    if (state.isClosed) return new StorageUnavailable('storage is closed')
    const { failure } = state
    const words = failure instanceof Error ? failure.message : String(failure)
    return new StorageUnavailable(`nothing can be stored: ${words}`, { cause: failure })
  }

  /** Brings a retired handle back. @throws StorageUnavailable while that is not possible */
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
      // Opening writes what the log holds into a table: without room for it nothing could be read either.
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
    // At once: whoever comes next must not take it for running.
    state.writing = undefined
  }

  /** @returns those that know what is stored now; written by the others, two documents would share one place */
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
      await level.batch(operations.map(toBatchOperation), { sync })
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

    /** As `read` gives it, where it is there at once. */
    readNow: () => state.level,

    ensureSound,
    /** False from a failed write on, until the handle was replaced. */
    isSound: () => state.failure === undefined,

    /**
     * Resolves when all of this is stored.
     * @param mustSync it waits for the disk, also where others do not
     * @param generation of what was read to decide it: refused when it is not the present one any more
     * @throws StorageUnavailable nobody knows then whether all of it is stored, or nothing
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

    /** Takes away every key of a range, without waiting for the disk. */
    async clear(range: KeyRange): Promise<void> {
      await ensureSound()
      const { level } = state
      if (!level) throw refusal()
      await level.clear(range).catch((error: unknown) => {
        fail(error)
        throw refusal()
      })
    },

    /** What was read may be wrong: the handle is opened again before anything is written, when it is still this one. */
    recordReadFailure(level: Level | undefined, error: unknown) {
      if (level !== undefined && level === state.level) fail(error)
    },

    /** Calls back each time that a retired handle was replaced: a write that failed before may be stored after all. */
    onReopened(listener: () => void) {
      listeners.add(listener)
    },
    generation: () => state.generation,
    stats: () => ({ ...counted }),

    /** Waits for what is under way; whatever comes later is refused. */
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

function toBatchOperation(operation: Operation) {
  if (operation.type === 'del') return operation
  const valueEncoding = typeof operation.value === 'string' ? 'utf8' : 'buffer'
  return { ...operation, valueEncoding } as const
}
