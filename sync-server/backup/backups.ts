import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { version } from '../../schema/api/version.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { StoredEntry } from '../storage/storage.ts'
import { type BackupFooter, backupFormat, writeBackup } from './backup-file.ts'
import { dataFormat } from './data-format.ts'

/** A backup that cannot be made. `message`: what is wrong and what to do. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

export interface BackupMade {
  path: string
  /** Of the file. */
  bytes: number
  entries: number
  seconds: number
}

/** Small files beside the store that a restored server needs. */
const filesBeside = ['jwt-secret']
const namePattern = /^petrel-\d{4}-\d\d-\d\dT[\d-]+Z\.backup(\.age)?$/
const partialPattern = /^petrel-.*\.backup(\.age)?\.partial$/
const lookEveryMs = 60_000

export type Backups = ReturnType<typeof createBackups>

/**
 * Makes backups of a store while it is in use: each is the store as it was at one moment.
 * @param readAll the entries of the store at the moment of the call; undefined for a CouchDB
 * @param schedule where and how often by itself, and how many stay there
 * @param readLast when the last one was made, epoch ms
 */
export function createBackups(options: {
  dataDir: string
  readAll: (() => AsyncIterable<readonly StoredEntry[]>) | undefined
  schedule?:
    | { dir: string; everyMs: number; keep: number; recipient: string | undefined }
    | undefined
  readLast?: () => Promise<number | undefined>
  onMade?: (made: BackupMade) => Promise<void>
  onError?: (error: unknown) => void
  now?: () => number
}) {
  const { dataDir, readAll, schedule, now = Date.now, readLast = async () => undefined } = options
  const { onMade = async () => undefined, onError = () => undefined } = options
  const state = { running: undefined as Promise<BackupMade> | undefined, isClosed: false }
  const looking = schedule
    ? setInterval(() => void look().catch(onError), lookEveryMs).unref()
    : undefined

  /** @throws BackupRefused */
  function make(folder: string, recipient?: string): Promise<BackupMade> {
    if (!readAll) {
      throw new BackupRefused(
        'The data are in a CouchDB: back it up with its own tools, the database `orders` last.',
      )
    }
    if (state.running !== undefined)
      throw new BackupRefused('A backup is being made already. Wait for it to end.')
    const making = write({ folder: resolve(folder), recipient, readAll }).finally(() => {
      state.running = undefined
    })
    state.running = making
    return making
  }

  async function write(given: {
    folder: string
    recipient: string | undefined
    readAll: () => AsyncIterable<readonly StoredEntry[]>
  }): Promise<BackupMade> {
    const { folder, recipient } = given
    const startedAt = now()
    await makeFolder(folder)
    await removeRemains(folder)
    const stamp = new Date(startedAt).toISOString().replaceAll(':', '-').replace('.', '-')
    const path = join(folder, `petrel-${stamp}.backup${recipient ? '.age' : ''}`)
    const partial = `${path}.partial`
    const seen = { footer: undefined as BackupFooter | undefined }
    const header = {
      petrel: 'backup' as const,
      format: backupFormat,
      version,
      dataFormat,
      id: randomUUID(),
      createdAt: new Date(startedAt).toISOString(),
      files: await readBeside(),
    }
    const plain = writeBackup(header, given.readAll(), (footer) => {
      seen.footer = footer
    })
    try {
      const bytes = await writeFile(partial, recipient ? await encrypt(plain, recipient) : plain)
      await rename(partial, path)
      await syncFolder(folder)
      const seconds = (now() - startedAt) / 1000
      const made = { path, bytes, entries: seen.footer?.entries ?? 0, seconds }
      await onMade(made)
      return made
    } catch (error) {
      await rm(partial, { force: true }).catch(() => undefined)
      throw await describeFailure(error, folder)
    }
  }

  async function readBeside(): Promise<Record<string, string>> {
    const found = await Promise.all(
      filesBeside.map(async (name) => {
        const bytes = await readFile(join(dataDir, name)).catch(() => undefined)
        return bytes ? [[name, bytes.toString('base64')]] : []
      }),
    )
    return Object.fromEntries(found.flat())
  }

  async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await open(path, 'wx', 0o600)
    let size = 0
    try {
      for await (const piece of bytes) {
        if (state.isClosed) throw new BackupRefused('The server stops: this backup was not made.')
        // A partial write is no error of the system.
        for (let at = 0; at < piece.length; ) {
          const { bytesWritten } = await file.write(piece, at, piece.length - at)
          at += bytesWritten
        }
        size += piece.length
      }
      await file.sync()
      return size
    } finally {
      await file.close()
    }
  }

  async function look() {
    if (!schedule || state.running !== undefined || state.isClosed) return
    const last = await readLast()
    if (last !== undefined && now() - last < schedule.everyMs) return
    await make(schedule.dir, schedule.recipient)
    await removeOld(schedule.dir, schedule.keep)
  }

  return {
    make,
    /** Makes one if it is time, and removes the oldest beyond those that stay. */
    look,
    /** Ends what is being made; nothing is left of it. */
    async close(): Promise<void> {
      clearInterval(looking)
      state.isClosed = true
      await state.running?.catch(() => undefined)
    },
  }
}

/** A folder that is missing is made, for this user alone. */
async function makeFolder(folder: string) {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw await describeFailure(error, folder)
  }
}

/** What a killed backup left. */
async function removeRemains(folder: string) {
  const names = await readdir(folder)
  const remains = names.filter((name) => partialPattern.test(name))
  await Promise.all(remains.map((name) => rm(join(folder, name), { force: true })))
}

async function removeOld(folder: string, keep: number) {
  const names = (await readdir(folder)).filter((name) => namePattern.test(name)).sort()
  await Promise.all(names.slice(0, -keep).map((name) => rm(join(folder, name), { force: true })))
}

async function encrypt(plain: AsyncIterable<Uint8Array>, recipient: string) {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new BackupRefused(`“${recipient}” is no age recipient: it begins with age1.`, { cause })
  }
  const stream = Readable.toWeb(Readable.from(plain)) as unknown as ReadableStream<Uint8Array>
  return (await encrypter.encrypt(stream)) as unknown as AsyncIterable<Uint8Array>
}

async function syncFolder(folder: string) {
  const handle = await open(folder, 'r')
  await handle.sync().catch(() => undefined)
  await handle.close()
}

async function describeFailure(error: unknown, folder: string): Promise<Error> {
  if (error instanceof BackupRefused) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    const left = await statfs(folder).catch(() => undefined)
    const free = left ? ` ${Math.round((left.bavail * left.bsize) / 2 ** 20)} MB are left.` : ''
    return new BackupRefused(
      `The disk of ${folder} is full.${free} Nothing was kept of this backup; those before are as they were.`,
      { cause: error },
    )
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new BackupRefused(`The server may not write into ${folder}. Name another folder.`, {
      cause: error,
    })
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new BackupRefused(`${folder} is no folder. Name one.`, { cause: error })
  }
  return new BackupRefused(`The backup could not be made: ${wordsOf(error)}`, { cause: error })
}
