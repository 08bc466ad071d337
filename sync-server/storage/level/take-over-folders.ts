import { cp, link, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { isDatabaseName } from '../documents/database-names.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { rangeOf } from './document-rows.ts'
import type { LevelStore } from './level-store.ts'
import { convertDatabase, openOldDatabase } from './take-over-pouchdb.ts'

export type OldLevel = ClassicLevel<string, Buffer>

const setAsideFolder = 'set-aside'

/** No database can have this name. */
const nameMark = (name: string) => `!taken-over/${name}`

/** An earlier version's database that was only partly migrated. */
export interface SetAside {
  database: string
  /** Its folder now, unchanged. */
  folder: string
  why: string
  /** Unusable documents found; omits those that cannot even be found. */
  broken: string[]
}

export interface TakeOverOptions {
  folder: string
  store: LevelStore
  onProgress: (progress: { done: number; of: number }) => void
  /** Called with a damaged database. */
  onSetAside: (what: SetAside) => void
}

/**
 * Migrates earlier versions' databases, a LevelDB folder each.
 * Crash-safe: recopies, and removes a folder only after a mark confirms it is on disk. Takes what
 * is usable of a damaged one and sets its folder aside, undeleted, without blocking the start.
 * @throws Error that names a folder that is unreadable but not damaged; StorageUnavailable
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
  // Foreign files may lie there too, and stay.
  await rmdir(folder).catch(() => undefined)
}

/** `why` is empty for an intact one. */
type Damage = Pick<SetAside, 'why' | 'broken'>

async function readMark(store: LevelStore, name: string): Promise<Damage | undefined> {
  const mark = await (await store.read()).get(nameMark(name))
  if (mark === undefined) return undefined
  const damage: unknown = JSON.parse(String(mark))
  // An earlier version marked only whole ones.
  return typeof damage === 'object' ? (damage as Damage) : { why: '', broken: [] }
}

async function takeOver(options: {
  from: string
  name: string
  store: LevelStore
}): Promise<Damage> {
  const { from, name, store } = options
  const copy = (level: OldLevel) => copyDatabase({ level, name, store })
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

/** @returns the ids left out */
async function copyDatabase(options: { level: OldLevel; name: string; store: LevelStore }) {
  const { level, name, store } = options
  const prefix = rangeOf(name).gte
  // An earlier try may have copied what is left out now.
  await store.clear(rangeOf(name))
  const { broken } = await convertDatabase(openOldDatabase(level as never), async (operations) => {
    await store.write(operations.map((one) => ({ ...one, key: prefix + one.key })))
  })
  return broken
}

/** @returns its new folder */
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

/** Runs `work` on an earlier version's LevelDB; leaves its folder unchanged. @throws read errors */
async function withOldLevel<Result>(
  folder: string,
  work: (level: OldLevel) => Promise<Result>,
): Promise<Result> {
  return await withLinks(folder, (links) => withLevel(links, work))
}

/** The same on what LevelDB can repair of a damaged one. */
export async function withRepairedLevel<Result>(
  folder: string,
  work: (level: OldLevel) => Promise<Result>,
): Promise<Result> {
  return await withLinks(folder, async (links) => {
    await ClassicLevel.repair(links)
    return await withLevel(links, work)
  })
}

async function withLevel<Result>(location: string, work: (level: OldLevel) => Promise<Result>) {
  const level: OldLevel = new ClassicLevel(location, {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
    createIfMissing: false,
  })
  try {
    await level.open()
    return await work(level)
  } finally {
    await level.close()
  }
}

/** Opening creates and removes files, but changes none: open a folder of links to them. */
async function withLinks<Result>(folder: string, work: (links: string) => Promise<Result>) {
  // No database has a dot in its name: a leftover of a kill is taken for none.
  const links = `${folder}.opened`
  await rm(links, { recursive: true, force: true })
  await mkdir(links, { mode: 0o700 })
  try {
    for (const name of await readdir(folder)) {
      const [from, to] = [join(folder, name), join(links, name)]
      await link(from, to).catch(() => cp(from, to, { recursive: true }))
    }
    return await work(links)
  } finally {
    await rm(links, { recursive: true, force: true })
  }
}

/** Not damage: a folder in use by another process, an unreadable one, and a full new store. */
function isDamage(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return false
  const { code, message } = nameCause(error)
  return code !== 'LEVEL_LOCKED' && !/permission denied|too many open files/i.test(message)
}

export function nameCause(error: unknown): { code: string; message: string } {
  const given = error as { cause?: unknown; code?: unknown; message?: unknown }
  if (given.cause !== undefined) return nameCause(given.cause)
  return { code: String(given.code), message: String(given.message ?? error) }
}
