import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { createStorage } from '../storage.ts'
import { openSmallDisk } from '../testing/open-small-disk.ts'

interface Note {
  _id: string
  text: string
}

/** The result of a crash at this moment: the operating system has all written data. */
async function openAsAfterKill(dataDir: string) {
  const copy = await mkdtemp(join(tmpdir(), 'petrel-killed-'))
  onTestFinished(() => rm(copy, { recursive: true }))
  await cp(dataDir, copy, { recursive: true })
  const storage = createStorage({ dataDir: copy })
  onTestFinished(() => storage.close())
  return storage
}

async function openFullStorage() {
  const disk = await openSmallDisk({ sizeMiB: 40 })
  onTestFinished(disk.close)
  const dataDir = join(disk.folder, 'data')
  const storage = createStorage({ dataDir })
  onTestFinished(() => storage.close())
  return { disk, dataDir, storage }
}

test.each([0, 1, 2, 3, 4, 5])(
  'P12: what is acknowledged before, while and after the disk is full survives a kill (%i)',
  async (seed) => {
    const { disk, dataDir, storage } = await openFullStorage()
    const draw = (from: number, below: number) => ((from + 1) * (seed + 3) * 7_919) % below
    const acknowledged = new Map<string, string>()
    const refused: unknown[] = []
    const write = async (id: string) => {
      const name = `notes-${id.length % 3}`
      const text = `${id} ${'x'.repeat(300 + draw(acknowledged.size, 8_000))}`
      await storage
        .database<Note>(name)
        .insert({ _id: id, text })
        .then(
          () => acknowledged.set(`${name}/${id}`, text),
          (error: unknown) => refused.push(error),
        )
    }
    for (let i = 0; i < 20; i += 1) await write(`a${i}`)
    await disk.fill({ leave: 8_192 + draw(0, 60_000) })
    for (let i = 0; refused.length < 3; i += 1) await write(`full${i}`)
    expect(refused.every((error) => error instanceof StorageUnavailable)).toBe(true)
    await expect(storage.ready()).rejects.toThrow(/space/i)

    // Existing data stays readable.
    for (const [key, text] of acknowledged) {
      const [name = '', id = ''] = key.split('/')
      expect((await storage.database<Note>(name).read([id])).get(id)?.text).toBe(text)
    }

    await disk.free()
    await expect.poll(() => storage.ready().then(() => 'ready', String)).toBe('ready')
    const before = acknowledged.size
    for (let i = 0; i < 30; i += 1) await write(`after${i}`)
    expect(acknowledged.size).toBe(before + 30)

    const killed = await openAsAfterKill(dataDir)
    for (const [key, text] of acknowledged) {
      const [name = '', id = ''] = key.split('/')
      expect((await killed.database<Note>(name).read([id])).get(id)?.text, key).toBe(text)
    }
  },
)
