import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDatabaseName } from '../databases/database-names.ts'
import {
  documentCountKey,
  findSoundDocuments,
  lastSeqKey,
  type OldLevel,
} from './find-sound-documents.ts'
import type { LevelStore, Operation } from './level-store.ts'
import { isDamage, nameCause, withOldLevel, withRepairedLevel } from './open-old-level.ts'
import { rangeOf } from './prefixed-leveldown.ts'

const batchBytes = 1024 * 1024
const setAsideFolder = 'set-aside'

/** No database can have this name. */
const nameMark = (name: string) => `!taken-over/${name}`

/** A database of an earlier version of which not all could be taken over. */
export interface SetAside {
  database: string
  /** Where it lies now, as it was. */
  folder: string
  why: string
  /** Documents that were found and could not be used. What cannot even be found is not among them. */
  broken: string[]
}

export interface TakeOverOptions {
  folder: string
  store: LevelStore
  onProgress: (progress: { done: number; of: number }) => void
  /** Told of what was damaged. */
  onSetAside: (what: SetAside) => void
}

/**
 * Takes over the databases of earlier versions, which had a LevelDB each, in a folder of its name: every key as it is,
 * behind the prefix of its database. A crash in between costs nothing: what was copied is copied again, and a folder is
 * removed only after a mark says that all of it is on the disk. Of a damaged one everything is taken over that can be
 * used, and its folder is kept, set aside: it stops nobody's start, and nothing of it is deleted.
 * @throws Error that names a folder that cannot be read and is not damaged; StorageUnavailable
 */
export async function takeOverFolders(options: TakeOverOptions): Promise<void> {
  const { folder, store, onProgress, onSetAside } = options
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)
  const names = entries.flatMap((entry) =>
    entry.isDirectory() && isDatabaseName(entry.name) ? [entry.name] : [],
  )
  for (const [done, name] of names.entries()) {
    onProgress({ done, of: names.length })
    const from = join(folder, name)
    const damage = (await readMark(store, name)) ?? (await takeOver({ from, name, store }))
    if (damage.why === '') await rm(from, { recursive: true })
    else onSetAside({ database: name, folder: await setAside(from, name), ...damage })
    await store.write([{ type: 'del', key: nameMark(name) }])
  }
  if (names.length === 0) return
  onProgress({ done: names.length, of: names.length })
  // Something that is not ours may lie there too, and stays.
  await rmdir(folder).catch(() => undefined)
}

/** `why` is empty for what is whole. */
type Damage = Pick<SetAside, 'why' | 'broken'>

async function readMark(store: LevelStore, name: string): Promise<Damage | undefined> {
  const mark = await (await store.read()).get(nameMark(name))
  if (mark === undefined) return undefined
  const damage: unknown = JSON.parse(String(mark))
  // An earlier version marked what was whole, and knew of nothing else.
  return typeof damage === 'object' ? (damage as Damage) : { why: '', broken: [] }
}

async function takeOver(options: {
  from: string
  name: string
  store: LevelStore
}): Promise<Damage> {
  const { from, name, store } = options
  const copy = (level: OldLevel) => copyKeys({ level, name, store })
  const damage: Damage = { why: '', broken: [] }
  try {
    damage.broken = await withOldLevel(from, copy)
    if (damage.broken.length > 0) damage.why = 'documents in it are broken'
  } catch (cause) {
    const { message } = nameCause(cause)
    const words = `The database in ${from} could not be taken over: ${message}`
    if (!isDamage(cause)) throw new Error(words, { cause })
    damage.why = message
    damage.broken = await withRepairedLevel(from, copy).catch(async (error: unknown) => {
      if (!isDamage(error)) throw new Error(words, { cause: error })
      await store.clear(rangeOf(name))
      return []
    })
  }
  const mark = { type: 'put', key: nameMark(name), value: JSON.stringify(damage) } as const
  await store.write([mark], { mustSync: true })
  return damage
}

/** @returns the ids that were left out */
async function copyKeys(options: { level: OldLevel; name: string; store: LevelStore }) {
  const { level, name, store } = options
  const prefix = rangeOf(name).gte
  const { broken, isSound, lastSeq, count } = await findSoundDocuments(level)
  // What an earlier try has copied may be among what is left out now.
  await store.clear(rangeOf(name))
  let batch: Operation[] = []
  let bytes = 0
  for await (const [key, value] of level.iterator()) {
    if (!isSound(key)) continue
    batch.push({ type: 'put', key: prefix + key, value })
    bytes += value.length
    if (bytes < batchBytes) continue
    await store.write(batch)
    batch = []
    bytes = 0
  }
  // What was lost may have been the last of them: no number may be given twice.
  const seq = Math.max(lastSeq, Number(await level.get(lastSeqKey)) || 0)
  if (seq > 0) {
    batch.push(
      { type: 'put', key: prefix + lastSeqKey, value: JSON.stringify(seq) },
      { type: 'put', key: prefix + documentCountKey, value: JSON.stringify(count) },
    )
  }
  await store.write(batch)
  return broken
}

/** @returns where it is now */
async function setAside(from: string, name: string): Promise<string> {
  const folder = join(dirname(dirname(from)), setAsideFolder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = await readdir(folder)
  const free = [name, ...kept.map((_, index) => `${name}.${index + 2}`)]
  const to = join(folder, free.find((one) => !kept.includes(one)) ?? name)
  await rename(from, to)
  return to
}

function ignoreMissing(error: NodeJS.ErrnoException) {
  if (error.code === 'ENOENT') return []
  throw error
}
