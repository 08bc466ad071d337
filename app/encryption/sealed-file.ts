import { gcm } from '@noble/ciphers/aes.js'
import { randomBytes } from '@noble/hashes/utils.js'
import { fromBase64Url, toBase64Url } from './base64-url.ts'

/**
 * Files are sealed in pieces of 64 KiB with AES-256-GCM, each with its number and whether it is the
 * last as the nonce (the STREAM construction, as in age): no piece can be left out, doubled or
 * moved, and none is opened before it is checked. A key seals one file only.
 */
const pieceBytes = 64 * 1024
const tagBytes = 16
const nonceBytes = 12
/** So much is worked on at a time; a browser may keep what is done on the disk. */
const gatheredPieces = 64

/** Thrown when a file is not what was sealed with its key. */
export class CannotOpenFile extends Error {
  override name = 'CannotOpenFile'
}

/** The key of one file, which goes into the sealed words of its message. */
export function createFileKey(): string {
  return toBase64Url(randomBytes(32))
}

/** The same file and key give the same bytes: a broken upload goes on where it stopped. */
export async function sealFile(file: Blob, key: string): Promise<Blob> {
  const { seal } = await openCipher(key)
  const type = 'application/octet-stream'
  return await mapPieces(file.stream(), { size: pieceBytes, type, work: seal })
}

/** What a browser only shows: a page or a script that somebody sealed must never run here. */
const shown = /^(image\/(png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf)$/

/**
 * Opens a file while it arrives: what is sealed is never held as a whole beside what is open. Rejects
 * as the stream does, too.
 * @param type what its author calls it; a type that a browser could run counts for nothing
 * @throws CannotOpenFile at the first piece that is not what was sealed; asks for none after it
 */
export async function openStream(sealed: Stream, key: string, type: string): Promise<Blob> {
  const { open } = await openCipher(key)
  const kind = shown.test(type) ? type : 'application/octet-stream'
  return await mapPieces(sealed, {
    size: pieceBytes + tagBytes,
    type: kind,
    work: (piece, nonce) =>
      open(piece, nonce).catch((cause: unknown) => {
        throw new CannotOpenFile('This file was damaged on its way.', { cause })
      }),
  })
}

/** The same of a file that is here. @throws CannotOpenFile */
export async function openFile(sealed: Blob, key: string, type: string): Promise<Blob> {
  return await openStream(sealed.stream(), key, type)
}

type Bytes = Uint8Array<ArrayBuffer>
type Stream = ReadableStream<Uint8Array>
type Work = (piece: Bytes, nonce: Bytes) => Promise<Bytes>

async function mapPieces(
  stream: Stream,
  { size, type, work }: { size: number; type: string; work: Work },
): Promise<Blob> {
  const parts: Blob[] = []
  let gathered: Bytes[] = []
  let at = 0
  for await (const { piece, isLast } of cutPieces(stream, size)) {
    gathered.push(await work(piece, nonceOf(at, isLast)))
    at += 1
    if (gathered.length < gatheredPieces && !isLast) continue
    parts.push(new Blob(gathered))
    gathered = []
  }
  return new Blob(parts, { type })
}

/** An empty stream is one empty piece. Whoever takes no more of them ends the stream. */
async function* cutPieces(
  stream: Stream,
  size: number,
): AsyncGenerator<{ piece: Bytes; isLast: boolean }> {
  const reader = stream.getReader()
  let piece = new Uint8Array(size)
  let filled = 0
  let isOver = false
  try {
    while (!isOver) {
      const { value: chunk = new Uint8Array(), done } = await reader.read()
      isOver = done
      for (let taken = 0; taken < chunk.length; ) {
        // Only what follows tells that a full piece was not the last.
        if (filled === size) {
          yield { piece, isLast: false }
          piece = new Uint8Array(size)
          filled = 0
        }
        const next = chunk.subarray(taken, taken + size - filled)
        piece.set(next, filled)
        filled += next.length
        taken += next.length
      }
    }
    yield { piece: piece.subarray(0, filled), isLast: true }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined)
  }
}

function nonceOf(at: number, isLast: boolean): Bytes {
  const nonce = new Uint8Array(nonceBytes)
  new DataView(nonce.buffer).setUint32(nonceBytes - 5, at)
  nonce[nonceBytes - 1] = Number(isLast)
  return nonce
}

/** Browsers have WebCrypto in secure contexts only. */
async function openCipher(key: string): Promise<{ seal: Work; open: Work }> {
  const bytes = Uint8Array.from(fromBase64Url(key))
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  if (!subtle) {
    return {
      seal: async (piece, iv) => Uint8Array.from(gcm(bytes, iv).encrypt(piece)),
      open: async (piece, iv) => Uint8Array.from(gcm(bytes, iv).decrypt(piece)),
    }
  }
  const name = 'AES-GCM'
  const imported = await subtle.importKey('raw', bytes, name, false, ['encrypt', 'decrypt'])
  return {
    seal: async (piece, iv) => new Uint8Array(await subtle.encrypt({ name, iv }, imported, piece)),
    open: async (piece, iv) => new Uint8Array(await subtle.decrypt({ name, iv }, imported, piece)),
  }
}
