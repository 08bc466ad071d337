import { Inflate } from 'fflate'
import { ArchiveProblem } from './archive-problem.ts'
import { crc32 } from './crc32.ts'
import { readChunks } from './zip-writer.ts'

const mostEntries = 200_000
/** What is read at once, as its unpacked form may be a thousand times as large. */
const pushedBytes = 16 * 1024
/** Chats pack well, but not like this: such a file only wants to fill the device. */
const mostRatio = 200
const freeBytes = 64 * 1024 * 1024

export interface ZipEntry {
  name: string
  size: number
  packed: number
  method: number
  crc: number
  offset: number
}

/**
 * Reads the directory of a zip.
 * @throws ArchiveProblem `no-zip`, `damaged`, or `too-large` for what unpacks without end
 */
export async function openZip(blob: Blob): Promise<ReadonlyMap<string, ZipEntry>> {
  const tailAt = Math.max(0, blob.size - 65_557)
  const tail = await readView(blob.slice(tailAt))
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end -= 1
  if (end < 0) throw new ArchiveProblem('no-zip')
  const [size, begin] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)]
  if (begin + size > blob.size || size > mostEntries * 512) throw new ArchiveProblem('damaged')
  const entries = readDirectory(await readView(blob.slice(begin, begin + size)))
  const sum = (pick: (entry: ZipEntry) => number) =>
    [...entries.values()].reduce((total, entry) => total + pick(entry), 0)
  // Entries that share their bytes are how a small file unpacks without end.
  if (sum(({ packed }) => packed) > blob.size) throw new ArchiveProblem('damaged')
  if (sum((entry) => entry.size) > freeBytes + blob.size * mostRatio) {
    throw new ArchiveProblem('too-large')
  }
  return entries
}

/**
 * An entry's bytes, unpacked and checked.
 * @throws ArchiveProblem `damaged`, at the latest after the last piece
 */
export async function* readEntry(blob: Blob, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const head = await readView(blob.slice(entry.offset, entry.offset + 30))
  if (head.byteLength < 30 || head.getUint32(0, true) !== 0x04034b50) {
    throw new ArchiveProblem('damaged')
  }
  const from = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true)
  if (from + entry.packed > blob.size) throw new ArchiveProblem('damaged')
  let crc = 0
  let size = 0
  for await (const piece of unpack(blob.slice(from, from + entry.packed), entry.method)) {
    crc = crc32(piece, crc)
    size += piece.length
    if (size > entry.size) throw new ArchiveProblem('damaged')
    yield piece
  }
  if (size !== entry.size || crc !== entry.crc) throw new ArchiveProblem('damaged')
}

async function* unpack(packed: Blob, method: number): AsyncGenerator<Uint8Array> {
  if (method === 0) return yield* readChunks(packed)
  if (method !== 8) throw new ArchiveProblem('damaged')
  let ready: Uint8Array[] = []
  const inflate = new Inflate((piece) => {
    if (piece.length > 0) ready.push(piece)
  })
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      inflate.push(chunk, isLast)
    } catch (cause) {
      throw new ArchiveProblem('damaged', cause)
    }
    const pieces = ready
    ready = []
    return pieces
  }
  for await (const chunk of readChunks(packed)) {
    for (let at = 0; at < chunk.length; at += pushedBytes) {
      yield* push(chunk.subarray(at, at + pushedBytes), false)
    }
  }
  yield* push(new Uint8Array(), true)
}

function readDirectory(view: DataView): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  const decoder = new TextDecoder()
  let at = 0
  while (at < view.byteLength) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50) {
      throw new ArchiveProblem('damaged')
    }
    const nameLength = view.getUint16(at + 28, true)
    const next =
      at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw new ArchiveProblem('damaged')
    const name = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength))
    if (entries.has(name) || entries.size >= mostEntries) throw new ArchiveProblem('damaged')
    entries.set(name, {
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at = next
  }
  return entries
}

async function readView(blob: Blob): Promise<DataView> {
  return new DataView(await blob.arrayBuffer())
}
