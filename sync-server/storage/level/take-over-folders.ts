import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { isDatabaseName } from '../database-names.ts'
import type { LevelStore, Operation } from './level-store.ts'
import { rangeOf } from './prefixed-leveldown.ts'

const batchBytes = 1024 * 1024

/** No database can have this name. */
const nameMark = (name: string) => `!taken-over/${name}`

/**
 * Takes over the databases of earlier versions, which had a LevelDB each, in a folder of its name: every key as it is,
 * behind the prefix of its database. A crash in between costs nothing: what was copied is copied again, and a folder is
 * removed only after a mark says that all of it is on the disk.
 * @throws Error that names the folder that cannot be read
 */
export async function takeOverFolders(options: {
  folder: string
  store: LevelStore
  onProgress: (progress: { done: number; of: number }) => void
}): Promise<void> {
  const { folder, store, onProgress } = options
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)
  const names = entries.flatMap((entry) =>
    entry.isDirectory() && isDatabaseName(entry.name) ? [entry.name] : [],
  )
  for (const [done, name] of names.entries()) {
    onProgress({ done, of: names.length })
    const from = join(folder, name)
    if (!(await isMarked(store, name))) {
      await copyKeys({ from, name, store })
      await store.write([{ type: 'put', key: nameMark(name), value: '1' }], { mustSync: true })
    }
    await rm(from, { recursive: true })
    await store.write([{ type: 'del', key: nameMark(name) }])
  }
  if (names.length === 0) return
  onProgress({ done: names.length, of: names.length })
  // Something that is not ours may lie there too, and stays.
  await rmdir(folder).catch(() => undefined)
}

async function isMarked(store: LevelStore, name: string): Promise<boolean> {
  return (await (await store.read()).get(nameMark(name))) !== undefined
}

async function copyKeys(options: { from: string; name: string; store: LevelStore }) {
  const { from, name, store } = options
  const prefix = rangeOf(name).gte
  const old = new ClassicLevel<string, Buffer>(from, {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
    createIfMissing: false,
  })
  try {
    await old.open()
    let batch: Operation[] = []
    let bytes = 0
    for await (const [key, value] of old.iterator()) {
      batch.push({ type: 'put', key: prefix + key, value })
      bytes += value.length
      if (bytes < batchBytes) continue
      await store.write(batch)
      batch = []
      bytes = 0
    }
    await store.write(batch)
  } catch (cause) {
    throw new Error(`The database in ${from} could not be taken over: ${nameCause(cause)}`, {
      cause,
    })
  } finally {
    await old.close()
  }
}

function nameCause(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string }; message?: string }
  return cause?.message ?? message ?? String(error)
}

function ignoreMissing(error: NodeJS.ErrnoException) {
  if (error.code === 'ENOENT') return []
  throw error
}
