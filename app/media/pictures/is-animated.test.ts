import { expect, test } from 'vitest'
import { isAnimated } from './shrink-picture.ts'

const webp = (form: string, flags: number) =>
  `RIFF\x24\0\0\0WEBP${form}\x0a\0\0\0${String.fromCharCode(flags)}\0\0\0`
const png = (...chunks: string[]) => `\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR${chunks.join('')}`

test.each([
  ['a moving WebP', webp('VP8X', 0b10), true],
  ['a WebP with transparency', webp('VP8X', 0b1_0000), false],
  ['a plain WebP', webp('VP8 ', 0b10), false],
  ['a moving PNG', png('sRGB', 'acTL', 'IDAT'), true],
  ['a plain PNG', png('IDAT'), false],
  ['a PNG whose pixels look like it', png('IDAT', 'acTL'), false],
  ['a photo', '\xff\xd8\xff\xe0acTL', false],
  ['nothing', '', false],
])('%s: %j', async (_what, text, isMoving) => {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  expect(await isAnimated(new Blob([bytes]))).toBe(isMoving)
})
