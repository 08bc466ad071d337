import { expect, onTestFinished, test, vi } from 'vitest'
import { CannotOpenFile, createFileKey, openFile, openStream, sealFile } from './sealed-file.ts'

const key = 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE'
const piece = 64 * 1024

const fill = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * 7) % 251)
const read = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer())

test.for([0, 1, piece - 1, piece, piece + 1, 65 * piece + 5])(
  'a file of %i bytes comes back as it was',
  async (size) => {
    const bytes = fill(size)
    const sealed = await sealFile(new Blob([bytes]), key)
    expect(sealed.size).toBe(size + 16 * Math.max(1, Math.ceil(size / piece)))
    const opened = await openFile(sealed, key, 'image/png')
    expect(opened.type).toBe('image/png')
    expect((await read(opened)).every((byte, at) => byte === bytes[at])).toBe(true)
    expect(opened.size).toBe(size)
  },
)

test('sealed twice it is the same, without WebCrypto too, and under another key another', async () => {
  const file = new Blob([fill(9_000)])
  const sealed = await read(await sealFile(file, key))
  expect(await read(await sealFile(file, key))).toEqual(sealed)
  expect(await read(await sealFile(file, createFileKey()))).not.toEqual(sealed)
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await read(await sealFile(file, key))).toEqual(sealed)
  expect(await read(await openFile(new Blob([sealed]), key, ''))).toEqual(await read(file))
})

test('P13: a file that was cut, doubled, moved or changed does not open', async () => {
  const sealed = await read(await sealFile(new Blob([fill(2 * piece + 5)]), key))
  const step = piece + 16
  const [first, second, rest] = [
    sealed.slice(0, step),
    sealed.slice(step, 2 * step),
    sealed.slice(2 * step),
  ]
  const changed = sealed.slice()
  changed[3] = (changed[3] ?? 0) ^ 1
  const forged = [
    [first, second],
    [first],
    [second, first, rest],
    [first, first, second, rest],
    [first, rest],
    [changed],
    [],
  ]
  for (const parts of forged) {
    await expect(openFile(new Blob(parts as Uint8Array<ArrayBuffer>[]), key, '')).rejects.toThrow(
      CannotOpenFile,
    )
  }
  await expect(openFile(new Blob([sealed]), createFileKey(), '')).rejects.toThrow(CannotOpenFile)
})

test('what its author calls it runs nowhere', async () => {
  const sealed = await sealFile(new Blob(['<script>']), key)
  const types = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', '']
  for (const type of types) {
    expect((await openFile(sealed, key, type)).type).toBe('application/octet-stream')
  }
  expect((await openFile(sealed, key, 'audio/ogg')).type).toBe('audio/ogg')
})

/** Format 1, for ever. */
test('P13: a file that was sealed by format 1 opens', async () => {
  const sealed = Uint8Array.from(
    Buffer.from('z7L1p71SG0N9Qb8KRgbFBnpECFerseF9AHnf31IKo4YRsDs', 'base64url'),
  )
  expect(await (await openFile(new Blob([sealed]), key, '')).text()).toBe('the albatross lands')
})

/** The sealed bytes, 10,000 at a time when they are asked for. */
function streamOf(bytes: Uint8Array) {
  const told = { given: 0, isEnded: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.slice(told.given, told.given + 10_000))
        told.given += 10_000
        if (told.given >= bytes.length) controller.close()
      },
      cancel() {
        told.isEnded = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, told }
}

test('P13: a file is opened as it arrives: after the first piece that does not open none is asked for', async () => {
  const bytes = fill(20 * piece)
  const sealed = await read(await sealFile(new Blob([bytes]), key))
  const opened = await openStream(streamOf(sealed).stream, key, 'video/mp4')
  expect([opened.type, opened.size]).toEqual(['video/mp4', bytes.length])
  expect((await read(opened)).every((byte, at) => byte === bytes[at])).toBe(true)
  sealed[2 * (piece + 16) + 3] = (sealed[2 * (piece + 16) + 3] ?? 0) ^ 1
  const { stream, told } = streamOf(sealed)
  await expect(openStream(stream, key, '')).rejects.toThrow(CannotOpenFile)
  expect(told.isEnded).toBe(true)
  // The third piece, and what told that it is not the last.
  expect(told.given).toBeLessThanOrEqual(3 * (piece + 16) + 10_000)
})

test('a stream that breaks off is no damaged file', async () => {
  const lost = new Error('the line broke')
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(lost)
    },
  })
  await expect(openStream(stream, key, '')).rejects.toBe(lost)
})
