import { open, open as openFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { StorageUnavailable, StoreUnusable } from '../documents/storage-errors.ts'
import { nameCause } from './take-over-folders.ts'

/** What a store is made of; LevelDB would make a new one in its place, and delete these. */
const partOfStore = /^(MANIFEST-\d+|\d+\.(ldb|sst|log))$/

/** The end of every whole table. */
const tableMagic = Buffer.from('57fb808b247547db', 'hex')

/** What this computer is short of may come back by itself. */
const passing = /no space left|too many open files|cannot allocate|input\/output error/i

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
  isCounted: boolean
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

const probePieceBytes = 2 ** 20

const damageToldEveryMs = 3_600_000

const asBuffer = { valueEncoding: 'buffer' } as const

/**
 * One LevelDB for everybody. Writes that arrive during a write go to disk together: one batch, one
 * sync. A failed write may leave a torn record, after which LevelDB would lose acknowledged data:
 * so it retires the handle; writes resume after reopening with a new log, reads work meanwhile.
 * @param location the folder
 * @param isSynced every write waits for the disk
 * @param wrap for tests: wraps LevelDB
 * @param onDamage called with words for the operator when something stored turns out damaged
 * @throws StoreUnusable when the operator has to do something first; StorageUnavailable
 */
export async function openLevelStore(options: {
  location: string
  isSynced: boolean
  wrap?: ((level: Level) => Level) | undefined
  onDamage?: ((words: string) => void) | undefined
}) {
  const { location, isSynced, wrap = (level) => level, onDamage = () => undefined } = options
  const counted = { syncedWrites: 0, keysWritten: 0 }
  const waiting: Waiting[] = []
  const damage = { toldAt: Number.NEGATIVE_INFINITY }
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
    await refuseHeadless(location)
    const level: Level = new ClassicLevel(location, {
      keyEncoding: 'utf8',
      valueEncoding: 'utf8',
      writeBufferSize,
      cacheSize: 64 * MiB,
      maxOpenFiles: 1_000,
    })
    await level.open().catch((error: unknown) => {
      const words = `The data in ${location} cannot be opened: ${nameCause(error).message}`
      throw refuseOpening(location, error) ?? new StorageUnavailable(words, { cause: error })
    })
    try {
      await refuseCutTables(location, level.getProperty('leveldb.sstables'))
    } catch (error) {
      await level.close()
      throw error
    }
    return wrap(level)
  }

  /** Tells of damage at the first read or write that meets it, and then once an hour. */
  function noteDamage(error: unknown): StoreUnusable {
    const damaged = describeDamage(location, { what: nameCause(error).message, cause: error })
    if (performance.now() - damage.toldAt >= damageToldEveryMs) {
      damage.toldAt = performance.now()
      onDamage(`${damaged.message}\n${damaged.remedy}`)
    }
    return damaged
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
      // LevelDB refuses all writes once it could not merge a damaged table.
      if (isLastingDamage(error)) noteDamage(error)
      fail(error)
      throw refusal()
    }
    for (const one of group) counted.keysWritten += one.isCounted ? one.operations.length : 0
    if (sync && group.some((one) => one.isCounted)) counted.syncedWrites += 1
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
     * @param isCounted false for what nobody has asked for
     * @param generation that the decision read: refused if it is not the current one
     * @throws StorageUnavailable when it is unknown whether all or nothing is stored
     */
    write(
      operations: readonly Operation[],
      options: { mustSync?: boolean; isCounted?: boolean; generation?: number } = {},
    ): Promise<void> {
      return new Promise((resolve, reject) => {
        const { mustSync = false, isCounted = true, generation } = options
        const isOwnSynced = isSynced || mustSync
        waiting.push({ operations, isSynced: isOwnSynced, isCounted, generation, resolve, reject })
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

    /**
     * Reads may be wrong: reopens the handle before the next write, if it is still this one. What is
     * damaged on the disk stays so: the handle stays too, for everybody who reads something else.
     */
    recordReadFailure(level: Level | undefined, error: unknown) {
      if (isLastingDamage(error)) noteDamage(error)
      else if (level !== undefined && level === state.level) fail(error)
    },

    /** The error for whoever cannot be given what they read. */
    refuseRead(error: unknown): StorageUnavailable {
      if (!isLastingDamage(error)) {
        return new StorageUnavailable('something stored could not be read', { cause: error })
      }
      return noteDamage(error)
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

/**
 * Writes `bytes` bytes beside the database and removes them. @throws Error when the disk has no
 * room for them
 */
async function probeDisk(folder: string, bytes: number): Promise<void> {
  const path = join(folder, 'probe.tmp')
  try {
    const file = await openFile(path, 'w', 0o600)
    try {
      const piece = new Uint8Array(Math.min(bytes, probePieceBytes)).fill(1)
      for (let left = bytes; left > 0; left -= piece.length) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
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

/**
 * Looks before LevelDB does: without `CURRENT` it takes a folder for new, and empties it.
 * @throws StoreUnusable
 */
async function refuseHeadless(location: string): Promise<void> {
  const names = await readdir(location).catch(ignoreMissing)
  if (names.includes('CURRENT')) return
  const parts = names.filter((name) => partOfStore.test(name))
  if (parts.length === 0) return
  throw describeDamage(location, {
    what: `the file CURRENT is missing beside ${parts.length} others of a store, such as ${parts.at(-1)}. Nothing there was changed`,
  })
}

/**
 * Compares each table with its size in the manifest: LevelDB looks only when it reads from one.
 * @param listed LevelDB's property `leveldb.sstables`
 * @throws StoreUnusable
 */
async function refuseCutTables(location: string, listed: string): Promise<void> {
  const cut: string[] = []
  for (const [, number = '', size] of listed.matchAll(/^ (\d+):(\d+)\[/gm)) {
    const problem = await findCut(join(location, `${number.padStart(6, '0')}.ldb`), Number(size))
    if (problem) cut.push(problem)
  }
  if (cut.length === 0) return
  const shown = cut.slice(0, 3).join(', ')
  const more = cut.length > 3 ? ` and ${cut.length - 3} more` : ''
  throw describeDamage(location, {
    what: `${shown}${more}, as if the folder had been copied in part`,
  })
}

async function findCut(path: string, size: number): Promise<string | undefined> {
  try {
    const found = (await stat(path)).size
    if (found !== size) return `${path} has ${found} of ${size} bytes`
    const file = await open(path)
    try {
      const end = new Uint8Array(tableMagic.length)
      await file.read(end, 0, end.length, size - end.length)
      return tableMagic.equals(end) ? undefined : `${path} does not end as a table does`
    } finally {
      await file.close()
    }
  } catch (error) {
    // Merged into another table since, or of LevelDB's first versions (.sst).
    ignoreMissing(error as NodeJS.ErrnoException)
    return undefined
  }
}

/** The error for a store that does not open. */
function refuseOpening(location: string, error: unknown): StoreUnusable | undefined {
  const { code, message } = nameCause(error)
  if (code === 'LEVEL_LOCKED') {
    return new StoreUnusable(
      `Another server works on ${location}. Stop it, or give this one a folder of its own: DATA_DIR.`,
      { cause: error },
    )
  }
  if (/permission denied|read-only file system|operation not permitted/i.test(message)) {
    return new StoreUnusable(
      `The data in ${location} cannot be opened: ${message}. The user that runs Petrel must own DATA_DIR and everything in it.`,
      { cause: error },
    )
  }
  if (passing.test(message)) return undefined
  return describeDamage(location, { what: message, cause: error })
}

/** Is this the answer of LevelDB to a read of something damaged, which no later try would cure? */
function isLastingDamage(error: unknown): boolean {
  const { code, message } = nameCause(error)
  if (code === 'LEVEL_CORRUPTION') return true
  return code === 'LEVEL_IO_ERROR' && /\.(ldb|sst): (invalid argument|no such file)/i.test(message)
}

/** @param what is damaged, without a full stop */
function describeDamage(
  location: string,
  { what, cause }: { what: string; cause?: unknown },
): StoreUnusable {
  const words = `The data in ${location} are damaged: ${what}.`
  const remedy = [
    'What helps, best first:',
    '1. If the folder was copied here: stop the server, and copy all of DATA_DIR again.',
    '2. Stop the server, put a backup in the place of DATA_DIR, and start with RESTORED set to a new name.',
    '3. Stop the server and run `petrel repair` with the same DATA_DIR (in a checkout:',
    '   node dist/server/main.js repair). It keeps what can be read, names what is lost, and sets the',
    '   damaged store aside. Then start with RESTORED set to a new name.',
    'After 2 and 3 people’s devices give back what the server lacks: see Backups in the README.',
  ].join('\n')
  return new StoreUnusable(words, { remedy, cause })
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
