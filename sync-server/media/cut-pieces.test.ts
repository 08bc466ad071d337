import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutPieces } from './byte-streams.ts'

async function* give(chunks: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

it('chunks of any size become pieces of one size, and nothing is lost or moved', async () => {
  const someChunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(someChunks, fc.integer({ min: 1, max: 30 }), async (chunks, size) => {
      const pieces: number[][] = []
      for await (const piece of cutPieces(give(chunks), size)) pieces.push([...piece])
      expect(pieces.flat()).toEqual(chunks.flatMap((chunk) => [...chunk]))
      expect(pieces.slice(0, -1).every(({ length }) => length === size)).toBe(true)
      expect(pieces.every(({ length }) => length > 0 && length <= size)).toBe(true)
    }),
  )
})
