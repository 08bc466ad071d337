import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { openZip, readEntry, type ZipEntry } from './check-archive.ts'
import { crc32, createZipWriter } from './zip-writer.ts'

async function readWhole(zip: Blob, entry: ZipEntry | undefined): Promise<string> {
  const parts: BlobPart[] = []
  for await (const piece of readEntry(zip, must(entry, 'the entry'))) {
    parts.push(piece as Uint8Array<ArrayBuffer>)
  }
  return await new Blob(parts).text()
}

test('the checksum is that of zip files', () => {
  const bytes = new TextEncoder().encode('123456789')
  expect(crc32(bytes)).toBe(0xcbf43926)
  expect(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4)))).toBe(0xcbf43926)
})

test('what is written is read again, by us and by others', async () => {
  const writer = createZipWriter()
  await writer.addText('texts/größe.json', ['[1,', '', '2]'])
  await writer.addText('empty.txt', [])
  // A zip within a zip: nothing may look for signatures in the data.
  const inner = new Blob([zipSync({ a: new Uint8Array([1, 2, 3]) }) as Uint8Array<ArrayBuffer>])
  await writer.addFile('files/inner.zip', inner)
  const zip = writer.finish()
  const entries = await openZip(zip)
  expect([...entries.keys()]).toEqual(['texts/größe.json', 'empty.txt', 'files/inner.zip'])
  expect(await readWhole(zip, entries.get('texts/größe.json'))).toBe('[1,2]')
  expect(await readWhole(zip, entries.get('empty.txt'))).toBe('')
  expect(await readWhole(zip, entries.get('files/inner.zip'))).toBe(await inner.text())
  const others = unzipSync(new Uint8Array(await zip.arrayBuffer()))
  expect(new TextDecoder().decode(others['texts/größe.json'])).toBe('[1,2]')
  expect(others['files/inner.zip']).toEqual(new Uint8Array(await inner.arrayBuffer()))
})

test('what other programs write is read', async () => {
  const zip = new Blob([
    zipSync({ 'a.txt': new TextEncoder().encode('x'.repeat(100_000)) }) as Uint8Array<ArrayBuffer>,
  ])
  expect(await readWhole(zip, (await openZip(zip)).get('a.txt'))).toHaveLength(100_000)
})

test('P12: a small file that unpacks without end is refused before it is unpacked', async () => {
  const writer = createZipWriter()
  const zeros = '0'.repeat(1_000_000)
  await writer.addText('bomb', Array(200).fill(zeros))
  await expect(openZip(writer.finish())).rejects.toThrow('unpacks to far more')
})

test('P12: an entry that lies about its size ends where it said it would', async () => {
  const writer = createZipWriter()
  await writer.addText('bomb', ['0'.repeat(1_000_000)])
  const zip = writer.finish()
  const entry = { ...must((await openZip(zip)).get('bomb'), 'the entry'), size: 10 }
  await expect(readWhole(zip, entry)).rejects.toThrow('damaged')
})

test('a file that cannot be read any more is left out, and the rest is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'map.txt')
  await writeFile(path, 'a map')
  const gone = await openAsBlob(path)
  await rm(path)
  const writer = createZipWriter()
  expect(await writer.addFile('files/map.txt', gone)).toBe(false)
  expect(await writer.addFile('files/here.txt', new Blob(['here']))).toBe(true)
  const zip = writer.finish()
  const entries = await openZip(zip)
  expect([...entries.keys()]).toEqual(['files/here.txt'])
  expect(await readWhole(zip, entries.get('files/here.txt'))).toBe('here')
})
