import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageUnavailable } from './documents/storage-errors.ts'
import {
  type Counters,
  decodeRow,
  isDeleted,
  keyOf,
  type Row,
  rangeOf,
  rangeOfKind,
  readCounters,
  toDocument,
} from './level/document-rows.ts'
import { type LevelStore, type Operation, openLevelStore } from './level/level-store.ts'
import { nameCause, type OldLevel, withRepairedLevel } from './level/take-over-folders.ts'
import {
  convertDatabase,
  isOldDatabase,
  listDatabases,
  openOldDatabase,
} from './level/take-over-pouchdb.ts'
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
      for (const name of await listDatabases(from as never)) {
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

async function copyDatabase(options: { from: OldLevel; to: LevelStore; name: string }) {
  const { from, to, name } = options
  const level = from as never
  const prefix = rangeOf(name).gte
  const isOld = await isOldDatabase(level, name)
  const take = isOld ? convertDatabase : copySound
  const { broken, count, of } = await take(openOldDatabase(level, prefix), async (operations) => {
    await to.write(operations.map((one) => ({ ...one, key: prefix + one.key })))
  })
  const documents = Math.max((of ?? 0) - count, broken.length)
  const isWhole = documents === 0 && (of !== undefined || count === 0)
  return { kept: count, lost: isWhole ? undefined : { database: name, documents, of } }
}

/** Copies what can be used of a database, and makes its list of places again. */
const copySound: typeof convertDatabase = async (from, write) => {
  const [counted] = await from.read([keyOf.counters])
  const before = counted && readSoundCounters(String(counted))
  const counters = { ...readCounters(undefined), ...before, count: 0 }
  const [sound, broken] = [new Set<string>(), new Set<string>()]
  const batch = { operations: [] as Operation[], bytes: 0 }

  async function add(operations: readonly Operation[]) {
    batch.operations.push(...operations)
    for (const one of operations) batch.bytes += one.type === 'put' ? one.value.length : 0
    if (batch.bytes < batchBytes) return
    await write(batch.operations)
    Object.assign(batch, { operations: [], bytes: 0 })
  }

  for await (const [key, value] of from.scan(rangeOfKind('d'))) {
    const id = key.slice('d/'.length)
    const row = readSound(id, value)
    if (!row) broken.add(id)
    if (!row) continue
    sound.add(id)
    counters.count += Number(!isDeleted(row.leaves))
    counters.seq = Math.max(counters.seq, row.seq)
    await add([
      { type: 'put', key, value },
      { type: 'put', key: keyOf.place(row.seq), value: id },
    ])
  }
  for await (const [key, value] of from.scan(rangeOfKind('s'))) {
    // The lost ones may include the last: no number may be given twice.
    counters.seq = Math.max(counters.seq, Number(key.slice('s/'.length)))
    if (!sound.has(String(value))) broken.add(String(value))
  }
  for await (const [key, value] of from.scan(rangeOfKind('b'))) {
    const id = key.slice('b/'.length, key.indexOf('\0'))
    if (sound.has(id)) await add([{ type: 'put', key, value }])
  }
  for await (const [key, value] of from.scan(rangeOfKind('l'))) {
    await add([{ type: 'put', key, value }])
  }
  const isUsed = counters.seq > 0 || counters.tally !== 0
  if (isUsed) await add([{ type: 'put', key: keyOf.counters, value: JSON.stringify(counters) }])
  await write(batch.operations)
  return { broken: [...broken], count: counters.count, of: before?.count }
}

function readSoundCounters(text: string): Counters | undefined {
  try {
    return readCounters(text)
  } catch {
    return undefined
  }
}

function readSound(id: string, value: Buffer): Row | undefined {
  try {
    const row = decodeRow(String(value))
    for (const leaf of row.leaves) toDocument(id, leaf)
    return row
  } catch {
    return undefined
  }
}

async function chooseFree(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = await readdir(folder)
  const names = ['store', ...kept.map((_, index) => `store.${index + 2}`)]
  return join(folder, names.find((name) => !kept.includes(name)) ?? 'store')
}
