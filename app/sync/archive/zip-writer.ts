import { Deflate } from 'fflate'

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Larger ones need a form of zip that not every program reads. */
const mostBytes = 0xffff_ffff
/** Bytes that wait here at most; the browser may keep a blob on the disk. */
const gatheredBytes = 1_000_000

const stored = 0
const deflated = 8

interface Entry {
  name: Uint8Array
  method: number
  crc: number
  packed: number
  size: number
  offset: number
}

/**
 * Writes a zip as a blob of blobs: files lie in it by reference, and JSON is packed piece by piece,
 * so that no whole copy is ever in memory.
 */
export function createZipWriter({ now = Date.now }: { now?: () => number } = {}) {
  const parts: BlobPart[] = []
  const entries: Entry[] = []
  let length = 0

  function append(part: Blob | Uint8Array<ArrayBuffer>) {
    parts.push(part)
    length += part instanceof Blob ? part.size : part.length
  }

  function place(name: string, facts: Pick<Entry, 'method' | 'crc' | 'size'>, data: Blob) {
    const entry = {
      ...facts,
      name: new TextEncoder().encode(name),
      packed: data.size,
      offset: length,
    }
    append(writeHeader(0x04034b50, entry, now()))
    append(entry.name as Uint8Array<ArrayBuffer>)
    append(data)
    entries.push(entry)
  }

  return {
    /** Does a file of this size still fit? */
    hasRoomFor: (bytes: number) => length + bytes + 64 * 1024 * 1024 < mostBytes,

    /** @returns false for a file that the browser cannot read any more: it is left out */
    async addFile(name: string, file: Blob, signal?: AbortSignal): Promise<boolean> {
      let crc = 0
      try {
        for await (const chunk of readChunks(file)) {
          signal?.throwIfAborted()
          crc = crc32(chunk, crc)
        }
      } catch {
        signal?.throwIfAborted()
        return false
      }
      place(name, { method: stored, crc, size: file.size }, file)
      return true
    },

    /** An entry of text that comes in pieces. */
    async addText(name: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
      const facts = { method: deflated, crc: 0, size: 0 }
      let waiting: Uint8Array<ArrayBuffer>[] = []
      let packed: Blob[] = []
      let gathered = 0
      const deflate = new Deflate({ level: 6 }, (chunk) => {
        waiting.push(chunk as Uint8Array<ArrayBuffer>)
        gathered += chunk.length
      })
      const encoder = new TextEncoder()
      for await (const piece of pieces) {
        const bytes = encoder.encode(piece)
        if (bytes.length === 0) continue
        facts.crc = crc32(bytes, facts.crc)
        facts.size += bytes.length
        deflate.push(bytes)
        if (gathered < gatheredBytes) continue
        packed.push(new Blob(waiting))
        waiting = []
        gathered = 0
      }
      deflate.push(new Uint8Array(), true)
      packed = [...packed, new Blob(waiting)]
      place(name, facts, new Blob(packed))
    },

    /** The whole zip; nothing may be added after it. */
    finish(): Blob {
      const begin = length
      for (const entry of entries) {
        append(writeHeader(0x02014b50, entry, now()))
        append(entry.name as Uint8Array<ArrayBuffer>)
      }
      const end = new DataView(new ArrayBuffer(22))
      end.setUint32(0, 0x06054b50, true)
      // More entries than this field can count are counted by reading them.
      end.setUint16(8, Math.min(entries.length, 0xffff), true)
      end.setUint16(10, Math.min(entries.length, 0xffff), true)
      end.setUint32(12, length - begin, true)
      end.setUint32(16, begin, true)
      append(new Uint8Array(end.buffer))
      return new Blob(parts, { type: 'application/zip' })
    },
  }
}

/** The 64 KB or so that a blob's stream gives at once. */
export async function* readChunks(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** A local header, or with 16 bytes more the one of the directory. */
function writeHeader(signature: number, entry: Entry, at: number): Uint8Array<ArrayBuffer> {
  const isLocal = signature === 0x04034b50
  const view = new DataView(new ArrayBuffer(isLocal ? 30 : 46))
  view.setUint32(0, signature, true)
  // Names are UTF-8: version 2.0, bit 11.
  const from = isLocal ? 4 : 6
  if (!isLocal) view.setUint16(4, 20, true)
  view.setUint16(from, 20, true)
  view.setUint16(from + 2, 0x0800, true)
  view.setUint16(from + 4, entry.method, true)
  view.setUint32(from + 6, writeTime(at), true)
  view.setUint32(from + 10, entry.crc, true)
  view.setUint32(from + 14, entry.packed, true)
  view.setUint32(from + 18, entry.size, true)
  view.setUint16(from + 22, entry.name.length, true)
  if (!isLocal) view.setUint32(42, entry.offset, true)
  return new Uint8Array(view.buffer)
}

/** The time as MS-DOS wrote it, in steps of two seconds from 1980 on. */
function writeTime(at: number): number {
  const date = new Date(at)
  const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate()
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}

/** The checksum of zip files, of bytes that follow those of `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return ~value >>> 0
}
