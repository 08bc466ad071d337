import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreUnusable } from '../storage/documents/storage-errors.ts'

/**
 * The token secret, from `dataDir/jwt-secret`; created there, readable by the owner only, when
 * absent. Losing the file signs everybody out and loses nothing else.
 * @throws StoreUnusable with words for the operator when the file cannot be used
 */
export function keepTokenSecret(dataDir: string): string {
  const path = join(dataDir, 'jwt-secret')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const kept = readSecret(path)
  if (kept !== undefined) return kept
  make(path)
  // Another process may have been quicker: what is on the disk counts.
  return readSecret(path) ?? keepTokenSecret(dataDir)
}

function readSecret(path: string): string | undefined {
  try {
    const kept = readFileSync(path, 'utf8').trim()
    if (kept.length >= 32) return kept
    throw new StoreUnusable(
      `${path} must hold at least 32 characters, and has ${kept.length}: a broken copy or a full disk may have cut it off. Put back the file of a backup, or remove it: everybody signs in again then, and nothing else is lost.`,
    )
  } catch (error) {
    if (error instanceof StoreUnusable) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StoreUnusable(
      `${path} cannot be read: ${(error as Error).message}. The user that runs Petrel must own DATA_DIR and everything in it.`,
      { cause: error },
    )
  }
}

/** Beside and then to its name, whole: a kill or a full disk on the way leaves no empty secret. */
function make(path: string) {
  const beside = `${path}.${process.pid}.tmp`
  try {
    const made = randomBytes(48).toString('base64url')
    writeFileSync(beside, made, { mode: 0o600, flush: true })
    try {
      linkSync(beside, path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return
      // A disk without links.
      renameSync(beside, path)
    }
    syncFolder(join(path, '..'))
  } finally {
    rmSync(beside, { force: true })
  }
}

function syncFolder(folder: string) {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
