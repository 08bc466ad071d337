import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import * as z from 'zod/mini'
import type { StoredEntry } from '../storage/storage.ts'

/** The number of this file's own format; the data in it have one too. */
export const backupFormat = 1

const blockBytes = 1024 * 1024
/** No key or value is larger: a block that says so is damaged. */
const blockMaxBytes = 64 * 1024 * 1024
const hashBytes = 32
const headerMaxBytes = 64 * 1024
const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** The first line of a backup. `files`: small ones beside the store, in base64, by their names. */
const header = z.object({
  petrel: z.literal('backup'),
  format: z.number(),
  version: z.string(),
  dataFormat: z.number(),
  id: z.string(),
  createdAt: z.string(),
  files: z.record(z.string(), z.string()),
})
export type BackupHeader = z.infer<typeof header>

const footer = z.object({ entries: z.number(), bytes: z.number(), digest: z.string() })
export type BackupFooter = z.infer<typeof footer>

/** A file that is no backup, or not whole. `message`: words for the operator. */
export class BackupDamaged extends Error {
  override name = 'BackupDamaged'
}

/**
 * A backup as bytes: a line that says what it is; blocks of entries, each compressed, with its
 * length and hash before it; an empty block; and a line with the counts and a hash over all hashes.
 */
export async function* writeBackup(
  given: BackupHeader,
  pages: AsyncIterable<readonly StoredEntry[]>,
  onEnd: (footer: BackupFooter) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  const counted = { entries: 0, bytes: 0 }
  const first = asBytes(`${JSON.stringify(given)}\n`)
  digest.update(first)
  yield first
  let parts: Uint8Array[] = []
  let size = 0
  for await (const page of pages) {
    for (const [key, value] of page) {
      parts.push(frame(key, value), key, value)
      size += 8 + key.length + value.length
      counted.entries += 1
      counted.bytes += key.length + value.length
      if (size >= blockBytes) {
        yield await closeBlock()
      }
    }
  }
  if (size > 0) yield await closeBlock()
  yield frame4(0)
  const last = { ...counted, digest: digest.digest('hex') }
  yield asBytes(`${JSON.stringify(last)}\n`)
  onEnd(last)

  async function closeBlock(): Promise<Uint8Array> {
    const body = new Uint8Array(await compress(new Uint8Array(Buffer.concat(parts)), { level: 1 }))
    parts = []
    size = 0
    const hash = sha256(body)
    digest.update(hash)
    return new Uint8Array(Buffer.concat([frame4(body.length), hash, body]))
  }
}

/**
 * Reads a backup and checks every byte of it.
 * @param onHeader called before the first entry; may throw to refuse it
 * @param take called with entries in their order; waits for it
 * @throws BackupDamaged
 */
export async function readBackup(
  bytes: AsyncIterable<Uint8Array>,
  options: {
    onHeader?: (header: BackupHeader) => void
    take?: (entries: readonly StoredEntry[]) => Promise<void>
  } = {},
): Promise<{ header: BackupHeader; footer: BackupFooter }> {
  const { onHeader = () => undefined, take = async () => undefined } = options
  const source = createByteReader(bytes)
  try {
    return await readAll(source, onHeader, take)
  } finally {
    await source.close()
  }
}

async function readAll(
  source: ReturnType<typeof createByteReader>,
  onHeader: (header: BackupHeader) => void,
  take: (entries: readonly StoredEntry[]) => Promise<void>,
): Promise<{ header: BackupHeader; footer: BackupFooter }> {
  const digest = createHash('sha256')
  const counted = { entries: 0, bytes: 0 }
  const firstLine = await source.line(headerMaxBytes)
  if (!firstLine?.startsWith('{"petrel":"backup"')) {
    throw new BackupDamaged('This file is no backup of Petrel.')
  }
  digest.update(asBytes(`${firstLine}\n`))
  const parsed = header.safeParse(parseJson(firstLine))
  if (!parsed.success) throw new BackupDamaged('The first line of this backup is damaged.')
  if (parsed.data.format > backupFormat) {
    throw new BackupDamaged(
      `This backup was made by a newer Petrel (${parsed.data.version}). Restore it with that version.`,
    )
  }
  onHeader(parsed.data)
  for (let block = 1; ; block += 1) {
    const length = await source.number()
    if (length === undefined) throw cutOff(block)
    if (length === 0) break
    if (length > blockMaxBytes) throw damagedAt(block)
    const hash = await source.take(hashBytes)
    const body = await source.take(length)
    if (!hash || !body) throw cutOff(block)
    if (!Buffer.from(sha256(body)).equals(hash)) throw damagedAt(block)
    digest.update(hash)
    const entries = splitEntries(await expandBlock(body, block), block)
    counted.entries += entries.length
    for (const [key, value] of entries) counted.bytes += key.length + value.length
    await take(entries)
  }
  const last = footer.safeParse(parseJson((await source.line(headerMaxBytes)) ?? ''))
  if (!last.success) throw new BackupDamaged('This backup is not whole: its last line is missing.')
  const isWhole =
    last.data.entries === counted.entries &&
    last.data.bytes === counted.bytes &&
    last.data.digest === digest.digest('hex')
  if (!isWhole) throw new BackupDamaged('This backup is not whole: its counts do not fit.')
  return { header: parsed.data, footer: last.data }
}

/** The bytes of a file, in pieces. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    for (;;) {
      const piece = new Uint8Array(blockBytes)
      const { bytesRead } = await file.read(piece, 0, piece.length)
      if (bytesRead === 0) return
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function expandBlock(body: Uint8Array, block: number): Promise<Buffer> {
  try {
    return await expand(body, { maxOutputLength: blockMaxBytes * 4 })
  } catch (cause) {
    throw new BackupDamaged(damagedAt(block).message, { cause })
  }
}

function splitEntries(block: Buffer, number: number): StoredEntry[] {
  const entries: StoredEntry[] = []
  const bytes = new Uint8Array(block)
  for (let at = 0; at < block.length; ) {
    if (at + 8 > block.length) throw damagedAt(number)
    const [keyLength, valueLength] = [block.readUInt32BE(at), block.readUInt32BE(at + 4)]
    const [valueAt, end] = [at + 8 + keyLength, at + 8 + keyLength + valueLength]
    if (end > block.length) throw damagedAt(number)
    entries.push([bytes.subarray(at + 8, valueAt), bytes.subarray(valueAt, end)])
    at = end
  }
  return entries
}

function createByteReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]()
  const state = { held: Buffer.alloc(0), isOver: false }

  async function fill(count: number): Promise<boolean> {
    const parts = [state.held]
    let size = state.held.length
    while (size < count && !state.isOver) {
      const next = await pieces.next()
      if (next.done) state.isOver = true
      else {
        parts.push(Buffer.from(next.value))
        size += next.value.length
      }
    }
    state.held = Buffer.concat(parts.map((part) => new Uint8Array(part)))
    return size >= count
  }

  async function take(count: number): Promise<Uint8Array | undefined> {
    if (!(await fill(count))) return undefined
    const taken = new Uint8Array(state.held.subarray(0, count))
    state.held = state.held.subarray(count)
    return taken
  }

  return {
    take,
    close: async () => void (await pieces.return?.()),
    async number(): Promise<number | undefined> {
      const bytes = await take(4)
      return bytes && Buffer.from(bytes).readUInt32BE(0)
    },
    async line(maxBytes: number): Promise<string | undefined> {
      for (let size = 256; ; size *= 2) {
        const isFilled = await fill(size)
        const end = state.held.indexOf(10)
        if (end >= 0) {
          const line = state.held.subarray(0, end).toString('utf8')
          state.held = state.held.subarray(end + 1)
          return line
        }
        if (!isFilled || size > maxBytes) return undefined
      }
    },
  }
}

function frame(key: Uint8Array, value: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([frame4(key.length), frame4(value.length)]))
}

function frame4(count: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(count)
  return new Uint8Array(bytes)
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

const asBytes = (text: string) => new TextEncoder().encode(text)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function cutOff(block: number): BackupDamaged {
  return new BackupDamaged(
    `This backup is not whole: it ends in block ${block}. Take an earlier one.`,
  )
}

function damagedAt(block: number): BackupDamaged {
  return new BackupDamaged(`This backup is damaged in block ${block}. Take an earlier one.`)
}
