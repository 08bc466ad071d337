import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ClassicLevel } from 'classic-level'
import {
  BackupDamaged,
  type BackupFooter,
  type BackupHeader,
  readBackup,
  readFileBytes,
} from './backup-file.ts'
import { BackupRefused } from './backups.ts'
import { dataFormat } from './data-format.ts'

/** A restore lies in this folder while it is loaded, and in that one once it is whole. */
const loading = 'store.loading'
const loaded = 'store.loaded'
const nameFile = 'restored'
const ageMagic = 'age-encryption.org/v1\n'

export interface BackupChecked {
  header: BackupHeader
  footer: BackupFooter
}

/**
 * Reads every byte of a backup, and changes nothing.
 * @param identity what opens an encrypted one: `AGE-SECRET-KEY-1…`
 * @throws BackupRefused with words
 */
export async function checkBackup(
  path: string,
  options: { identity?: string | undefined; take?: Parameters<typeof readBackup>[1] } = {},
): Promise<BackupChecked> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new BackupRefused(`There is no file ${path}.`)
  if (!found.isFile()) {
    throw new BackupRefused(`${path} is a folder. Name a file in it that ends in .backup.`)
  }
  try {
    return await readBackup(await openBytes(path, options.identity), {
      ...options.take,
      onHeader(header) {
        if (header.dataFormat > dataFormat) {
          throw new BackupRefused(
            `This backup was made by a newer Petrel (${header.version}, data of format ${header.dataFormat}; this one knows ${dataFormat}). Restore it with that version. Nothing was changed.`,
          )
        }
      },
    })
  } catch (error) {
    if (error instanceof BackupDamaged) {
      throw new BackupRefused(`${error.message} Nothing was changed.`, { cause: error })
    }
    throw error
  }
}

async function openBytes(path: string, identity: string | undefined) {
  const bytes = readFileBytes(path)
  if (!(await isEncrypted(path))) return bytes
  if (identity === undefined) {
    throw new BackupRefused('This backup is encrypted. Name the file of your age key: --identity.')
  }
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  const encrypted = Readable.from(bytes)
  try {
    decrypter.addIdentity(readIdentity(identity))
    const stream = Readable.toWeb(encrypted) as unknown as ReadableStream<Uint8Array>
    return wordDamage((await decrypter.decrypt(stream)) as unknown as AsyncIterable<Uint8Array>)
  } catch (cause) {
    encrypted.destroy()
    if (cause instanceof BackupRefused) throw cause
    throw new BackupRefused('This key does not open the backup. Name the one it was made for.', {
      cause,
    })
  }
}

/** age checks each piece itself. */
async function* wordDamage(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (cause) {
    throw new BackupDamaged('This backup is damaged or not whole. Take an earlier one.', { cause })
  }
}

async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const first = new Uint8Array(ageMagic.length)
    await file.read(first, 0, first.length, 0)
    return Buffer.from(first).toString('latin1') === ageMagic
  } finally {
    await file.close()
  }
}

/** The key in a file as age-keygen writes it, or the key itself. */
function readIdentity(text: string): string {
  const key = /AGE-SECRET-KEY-1[0-9A-Z]+/.exec(text)?.[0]
  if (!key) throw new BackupRefused('The file of --identity has no age key: AGE-SECRET-KEY-1…')
  return key
}

/**
 * Puts a backup in the place of what is there, which is kept beside it. Checks all of it first;
 * killed anywhere, either the data from before or the restored ones are there, whole.
 * @param requireStopped throws while a server works on the folder
 * @returns where the data from before lie; undefined where there were none
 * @throws BackupRefused with words
 */
export async function restoreBackup(options: {
  path: string
  dataDir: string
  identity?: string | undefined
  requireStopped: () => Promise<void>
  now?: () => number
}): Promise<BackupChecked & { before: string | undefined }> {
  const { path, dataDir, identity, requireStopped, now = Date.now } = options
  await requireStopped()
  const checked = await checkBackup(path, { identity })
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const folder = join(dataDir, loading)
  await rm(folder, { recursive: true, force: true })
  try {
    await load(folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (isDiskFull(error)) {
      const { bytes } = checked.footer
      throw new BackupRefused(
        `The disk of ${dataDir} is full: the data take about ${Math.ceil(bytes / 2 ** 20)} MB beside what is there. Nothing was changed.`,
        { cause: error },
      )
    }
    throw error
  }
  await requireStopped()
  await keepBeside(checked.header)
  // The server takes this name as that of RESTORED, so that devices give back what the backup lacks.
  await writeFile(join(dataDir, nameFile), `${checked.header.id} ${randomUUID()}`, { mode: 0o600 })
  await rm(join(dataDir, loaded), { recursive: true, force: true })
  renameSync(folder, join(dataDir, loaded))
  const before = finishRestore(dataDir, now)
  return { ...checked, before }

  async function load(into: string) {
    const level = new ClassicLevel<Uint8Array, Uint8Array>(into, {
      keyEncoding: 'view',
      valueEncoding: 'view',
    })
    await level.open()
    try {
      await checkBackup(path, {
        identity,
        take: {
          take: (entries) =>
            level.batch(
              entries.map(([key, value]) => ({ type: 'put' as const, key, value })),
              { sync: true },
            ),
        },
      })
    } finally {
      await level.close()
    }
  }

  /** What is there signs the sign-ins of devices that are newer than the backup. */
  async function keepBeside({ files }: BackupHeader) {
    for (const [name, text] of Object.entries(files)) {
      if (!/^[\w-]+$/.test(name)) continue
      const target = join(dataDir, name)
      if (await readFile(target).catch(() => undefined)) continue
      await writeFile(target, new Uint8Array(Buffer.from(text, 'base64')), { mode: 0o600 })
    }
  }
}

/**
 * Puts a whole restore into its place; each start does too, after a kill in between.
 * @returns where the data from before lie
 */
export function finishRestore(dataDir: string, now: () => number = Date.now): string | undefined {
  const [store, waiting] = [join(dataDir, 'store'), join(dataDir, loaded)]
  if (!existsSync(waiting)) return undefined
  const stamp = new Date(now()).toISOString().replaceAll(':', '-').replace('.', '-')
  const before = join(dataDir, `store.before-${stamp}`)
  const hadStore = existsSync(store)
  if (hadStore) renameSync(store, before)
  renameSync(waiting, store)
  return hadStore ? before : undefined
}

/**
 * Does a server work on this folder? Also true where its socket is missing; a damaged store is
 * nobody's.
 */
export async function isInUse(dataDir: string): Promise<boolean> {
  const level = new ClassicLevel(join(dataDir, 'store'), { createIfMissing: false })
  try {
    await level.open()
    await level.close()
    return false
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code === 'LEVEL_LOCKED'
  }
}

/** The name of the last restore by command; undefined where there was none. */
export function readRestoredName(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, nameFile), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

function isDiskFull(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException
    if (code === 'ENOSPC' || /no space left/i.test(one.message)) return true
  }
  return false
}
