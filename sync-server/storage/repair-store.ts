import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDatabaseName } from './documents/database-names.ts'
import { StorageUnavailable } from './documents/storage-errors.ts'
import { findSoundDocuments, type OldLevel } from './level/find-sound-documents.ts'
import { type LevelStore, type Operation, openLevelStore } from './level/level-store.ts'
import { documentCountKey, lastSeqKey } from './level/pouch-keys.ts'
import { rangeOf } from './level/prefixed-leveldown.ts'
import { nameCause, withRepairedLevel } from './level/take-over-folders.ts'
import { repairedFolder } from './storage.ts'

const batchBytes = 1024 * 1024

/** What cannot be brought back of one database. */
export interface Lost {
  database: string
  /** How many documents are missing or unusable; at least so many where `of` is not known. */
  documents: number
  /** How many there were; undefined when their number is lost too. */
  of: number | undefined
}

export interface RepairOutcome {
  lost: Lost[]
  /** How many documents are kept, in all databases. */
  kept: number
  /** Where the damaged store lies now, unchanged. */
  setAside: string
}

/**
 * Makes a sound store of what LevelDB can read of `dataDir/store`, and sets the damaged one aside. A
 * kill leaves the damaged one in its place, or the whole repaired one.
 * @param rebuilt databases that the server makes again from the others: left out where anything is
 * lost, because they would count it
 * @throws StorageUnavailable in words: in use, no store, no room
 */
export async function repairStore(options: {
  dataDir: string
  rebuilt: readonly string[]
}): Promise<RepairOutcome> {
  const { dataDir, rebuilt } = options
  const [location, beside] = [join(dataDir, 'store'), join(dataDir, repairedFolder)]
  await refuseMissing(location)
  await rm(beside, { recursive: true, force: true })
  const to = await openLevelStore({ location: beside, isSynced: false })
  const found = { lost: [] as Lost[], kept: 0 }
  try {
    await withRepairedLevel(location, async (from) => {
      for (const name of await listDatabases(from)) {
        const { lost, kept } = await copyDatabase({ from, to, name })
        found.kept += kept
        if (lost) found.lost.push(lost)
      }
    })
    if (found.lost.length > 0) for (const name of rebuilt) await to.clear(rangeOf(name))
    // The last write waits for the disk, and so for all before it.
    await to.write([{ type: 'del', key: '!repaired' }], { mustSync: true })
  } catch (error) {
    await to.close()
    await rm(beside, { recursive: true, force: true })
    throw describeFailure(location, error)
  }
  await to.close()
  const setAside = await chooseFree(join(dataDir, 'set-aside'))
  await rename(location, setAside)
  await rename(beside, location)
  return { ...found, setAside }
}

async function refuseMissing(location: string) {
  const names = await readdir(location).catch(() => [])
  if (names.length > 0) return
  throw new StorageUnavailable(`There is nothing to repair in ${location}: see DATA_DIR.`)
}

function describeFailure(location: string, error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  const { code, message } = nameCause(error)
  const words =
    code === 'LEVEL_LOCKED'
      ? `A server works on ${location}. Stop it before the repair.`
      : `${location} could not be repaired: ${message}. It is as it was: put a backup in its place.`
  return new StorageUnavailable(words, { cause: error })
}

/** Jumps from one to the next. Keys that belong to none are the store's own, and made again. */
async function listDatabases(level: OldLevel): Promise<string[]> {
  const names: string[] = []
  const range = { gt: '' }
  for (;;) {
    const [key] = await level.keys({ ...range, limit: 1 }).all()
    if (key === undefined) return names
    const name = key.slice(0, key.indexOf('!'))
    if (isDatabaseName(name)) {
      names.push(name)
      range.gt = rangeOf(name).lt
    } else range.gt = key
  }
}

async function copyDatabase(options: { from: OldLevel; to: LevelStore; name: string }) {
  const { from, to, name } = options
  const prefix = rangeOf(name).gte
  const iterate = (range: { gte?: string; lt?: string } = {}) =>
    walk(from, {
      gte: prefix + (range.gte ?? ''),
      lt: range.lt ? prefix + range.lt : rangeOf(name).lt,
    })
  async function* walk(level: OldLevel, range: { gte: string; lt: string }) {
    for await (const [key, value] of level.iterator(range)) {
      yield [key.slice(prefix.length), value] as const
    }
  }
  const { broken, isSound, lastSeq, count } = await findSoundDocuments({ iterator: iterate })
  const batch = { operations: [] as Operation[], bytes: 0 }
  async function flush() {
    await to.write(batch.operations)
    Object.assign(batch, { operations: [], bytes: 0 })
  }
  for await (const [key, value] of iterate()) {
    if (!isSound(key)) continue
    batch.operations.push({ type: 'put', key: prefix + key, value })
    batch.bytes += value.length
    if (batch.bytes >= batchBytes) await flush()
  }
  const read = async (key: string) => {
    const value = await from.get(prefix + key)
    return value === undefined ? undefined : Number(value)
  }
  const of = await read(documentCountKey)
  // The lost ones may include the last: no number may be given twice.
  const seq = Math.max(lastSeq, (await read(lastSeqKey)) ?? 0)
  batch.operations.push(
    { type: 'put', key: prefix + lastSeqKey, value: JSON.stringify(seq) },
    { type: 'put', key: prefix + documentCountKey, value: JSON.stringify(count) },
  )
  await flush()
  const documents = Math.max((of ?? 0) - count, broken.length)
  const isWhole = documents === 0 && (of !== undefined || seq === 0)
  return { kept: count, lost: isWhole ? undefined : { database: name, documents, of } }
}

async function chooseFree(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = await readdir(folder)
  const names = ['store', ...kept.map((_, index) => `store.${index + 2}`)]
  return join(folder, names.find((name) => !kept.includes(name)) ?? 'store')
}
