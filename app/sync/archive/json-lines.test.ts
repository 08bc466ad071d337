import { expect, test } from 'vitest'
import { readJson, readLines, writeLines } from './json-lines.ts'

async function readAll(lines: AsyncIterable<unknown>) {
  const found: unknown[] = []
  for await (const line of lines) found.push(line)
  return found
}

/** The pieces of a text's bytes, cut where it hurts. */
async function* cut(text: string, length: number) {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test('lists are read line by line, wherever the bytes are cut', async () => {
  const documents = [{ text: 'größe ✓\n[' }, { text: '👍' }, { text: ']' }]
  for (const list of [documents, []]) {
    const text = (await readAll(writeLines(list))).join('')
    expect(JSON.parse(text)).toEqual(list)
    for (const length of [1, 2, 3, 7, 1_000]) {
      expect(await readAll(readLines(cut(text, length)))).toEqual(list)
    }
  }
})

test.each(['', '{', '[', '[\n1', '[\n1\n]\nmore', '[\n\n]', '[\nnull,x\n]', '[1]'])(
  'the list %j is damaged',
  async (text) => {
    await expect(readAll(readLines(cut(text, 3)))).rejects.toThrow('damaged')
  },
)

test('P12: neither a line nor a text grows without end, and bytes that are no text are none', async () => {
  async function* endless() {
    const bytes = new TextEncoder().encode('['.repeat(100_000))
    for (;;) yield bytes
  }
  await expect(readAll(readLines(endless()))).rejects.toThrow('damaged')
  await expect(readJson(endless())).rejects.toThrow('damaged')
  async function* invalid() {
    yield new Uint8Array([0xff, 0xfe])
  }
  await expect(readJson(invalid())).rejects.toThrow('damaged')
})
