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
