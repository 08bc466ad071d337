import { cp, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import type { OldLevel } from './find-sound-documents.ts'

/** Runs `work` on an earlier version's LevelDB; leaves its folder unchanged. @throws read errors */
export async function withOldLevel<Result>(
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
export function isDamage(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return false
  const { code, message } = nameCause(error)
  return code !== 'LEVEL_LOCKED' && !/permission denied|too many open files/i.test(message)
}

export function nameCause(error: unknown): { code: string; message: string } {
  const given = error as { cause?: unknown; code?: unknown; message?: unknown }
  if (given.cause !== undefined) return nameCause(given.cause)
  return { code: String(given.code), message: String(given.message ?? error) }
}
