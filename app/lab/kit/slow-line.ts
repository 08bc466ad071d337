/** Pieces per second: parallel transfers share the line. */
const piecesPerSecond = 25

export interface SlowLineOptions {
  /** Each way. */
  bytesPerSecond: number
  /** An answer longer than this never arrives completely. */
  breaksAfterBytes?: number
}

/** A line on which bytes trickle, as on a ship or in a remote valley. */
export function createSlowLine({ bytesPerSecond, breaksAfterBytes }: SlowLineOptions) {
  const piece = Math.ceil(bytesPerSecond / piecesPerSecond)
  const ways = { up: Promise.resolve(), down: Promise.resolve() }

  /** Resolves when this many bytes have had their turn. */
  function pass(way: keyof typeof ways, bytes: number): Promise<void> {
    const ms = (bytes / bytesPerSecond) * 1_000
    ways[way] = ways[way].then(() => new Promise((resolve) => setTimeout(resolve, ms)))
    return ways[way]
  }

  return {
    /** Passes the bytes on in pieces, each in its turn. */
    async *trickle(way: keyof typeof ways, bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; at += piece) {
        const part = bytes.subarray(at, at + piece)
        await pass(way, part.length)
        yield part
      }
    },
    /** Resolves when this has left the device. */
    async upload(body: unknown, signal: AbortSignal) {
      if (typeof body !== 'string') return
      for (let left = new TextEncoder().encode(body).length; left > 0; left -= piece) {
        signal.throwIfAborted()
        await pass('up', Math.min(left, piece))
      }
    },
    /** The same answer at the line's pace. */
    download(response: Response): Response {
      const { status, headers } = response
      let read = 0
      const trickle = new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          for (let at = 0; at < chunk.length; at += piece) {
            const part = chunk.subarray(at, at + piece)
            read += part.length
            if (breaksAfterBytes && read > breaksAfterBytes) await new Promise(() => {})
            await pass('down', part.length)
            controller.enqueue(part)
          }
        },
      })
      return new Response(response.body?.pipeThrough(trickle) ?? null, { status, headers })
    },
  }
}
