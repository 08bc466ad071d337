import { RequestRefused } from '../http/core/request-refused.ts'

const MiB = 1024 * 1024

/**
 * Regroups chunks of any size into pieces of `size` bytes; the last has the rest. No bytes, no
 * piece.
 */
export async function* cutPieces(
  chunks: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(size)
  let filled = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(piece, filled, at)
      at += copied
      filled += copied
      if (filled < size) continue
      yield piece
      piece = Buffer.allocUnsafe(size)
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

/** Discards bytes that are stored already. */
export async function readToEnd(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of bytes) {
    // Nothing is done with it.
  }
}

/**
 * Passes on at most `limitBytes`. @throws RequestRefused `file_too_large` at the first byte above
 */
export async function* limitBytes(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limitBytes) throw refuseTooLarge(limitBytes)
    yield chunk
  }
}

/** The refusal of a file above the limit, with the limit in its words. */
export function refuseTooLarge(limitBytes: number): RequestRefused {
  const words = `File size too large. Maximum size is ${limitBytes / MiB}MB.`
  return new RequestRefused('file_too_large', { words })
}
