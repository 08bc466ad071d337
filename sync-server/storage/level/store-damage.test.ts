import {
  cp,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { StorageUnavailable, StoreUnusable } from '../documents/storage-errors.ts'
import { repairStore } from '../repair-store.ts'
import { createStorage } from '../storage.ts'

interface Note {
  _id: string
  text: string
}

const names = Array.from({ length: 24 }, (_, index) => `notes-${index}`)
const ids = Array.from({ length: 20 }, (_, index) => `note-${index}`)
/** Nothing that LevelDB could compress away. */
const text = Array.from({ length: 120 }, (_, index) => (index * 7_919 * 104_729).toString(36)).join(
  '',
)

/** A stopped server's folder with tables, as a start after a kill leaves them. */
async function openFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-damage-'))
  const opened: ReturnType<typeof createStorage>[] = []
  const told: string[] = []
  onTestFinished(async () => {
    for (const storage of opened) await storage.close()
    await rm(dataDir, { recursive: true })
  })
  function start() {
    const onDamage = (words: string) => void told.push(words)
    const storage = createStorage({ dataDir, durability: 'relaxed', onDamage })
    opened.push(storage)
    return storage
  }
  const first = start()
  for (const name of names) {
    await first.database<Note>(name).update(ids, () => ({
      put: ids.map((_id) => ({ _id, text: `${_id} ${text}` })),
      result: undefined,
    }))
  }
  await first.close()
  const second = start()
  await second.ready()
  await second.close()
  const store = join(dataDir, 'store')
  const table = must(
    (await readdir(store)).find((name) => name.endsWith('.ldb')),
    'a table',
  )
  return { dataDir, store, table: join(store, table), start, told }
}

type Folder = Awaited<ReturnType<typeof openFolder>>

/** The databases that can be read whole. */
async function listSound(storage: ReturnType<typeof createStorage>): Promise<string[]> {
  const sound: string[] = []
  for (const name of names) {
    const found = await storage
      .database<Note>(name)
      .read(ids)
      .catch((error: unknown) => error)
    if (!(found instanceof Map)) expect(found).toBeInstanceOf(StoreUnusable)
    else if (found.size === ids.length) sound.push(name)
  }
  return sound
}

async function readFolder(store: string) {
  const parts = (await readdir(store)).filter((name) =>
    /\.(ldb|log)$|^(CURRENT|MANIFEST)/.test(name),
  )
  return await Promise.all(
    parts.map(async (name) => [name, (await readFile(join(store, name))).toString('base64')]),
  )
}

/** Overwrites a block in the middle of the table. */
async function damageBlock({ table }: Folder) {
  const file = await open(table, 'r+')
  await file.write(
    new Uint8Array(5_000).fill(0xff),
    0,
    5_000,
    Math.floor((await file.stat()).size / 2),
  )
  await file.close()
}

const damages: Record<string, { damage: (folder: Folder) => Promise<unknown>; words: string }> = {
  'without CURRENT': {
    damage: ({ store }) => rename(join(store, 'CURRENT'), join(store, '..', 'CURRENT')),
    words: 'the file CURRENT is missing',
  },
  'with an empty CURRENT': {
    damage: ({ store }) => truncate(join(store, 'CURRENT')),
    words: 'CURRENT file does not end with newline',
  },
  'without its manifest': {
    damage: async ({ store }) => {
      const manifest = (await readdir(store)).find((name) => name.startsWith('MANIFEST'))
      await rm(join(store, must(manifest, 'a manifest')))
    },
    words: 'MANIFEST',
  },
  'without a table': { damage: ({ table }) => rm(table), words: 'missing files' },
  'with half a table': {
    damage: async ({ table }) => await truncate(table, Math.floor((await stat(table)).size / 2)),
    words: 'as if the folder had been copied in part',
  },
  'with a table of zeros': {
    damage: async ({ table }) => await writeFile(table, new Uint8Array((await stat(table)).size)),
    words: 'does not end as a table does',
  },
}

describe('a store', () => {
  it.each(Object.entries(damages))(
    '%s is not opened, and stays as it is',
    async (_what, { damage, words }) => {
      const folder = await openFolder()
      await damage(folder)
      const before = await readFolder(folder.store)
      for (let start = 0; start < 2; start += 1) {
        const storage = folder.start()
        const refusal = await storage.ready().catch((error: unknown) => error)
        expect(refusal).toBeInstanceOf(StoreUnusable)
        const { message, remedy } = refusal as StoreUnusable
        expect(message).toContain(folder.store)
        expect(message).toContain(words)
        expect(remedy).toMatch(/backup[\s\S]*RESTORED[\s\S]*repair/)
        await storage.close()
      }
      const names = (files: string[][]) => files.map(([name]) => name)
      if (words === 'the file CURRENT is missing')
        expect(await readFolder(folder.store)).toEqual(before)
      else
        expect(names(await readFolder(folder.store))).toEqual(
          expect.arrayContaining(names(before).filter((name) => name?.endsWith('.ldb'))),
        )
    },
  )

  it('without CURRENT is whole again when the file is put back', async () => {
    const { store, start, dataDir } = await openFolder()
    await rename(join(store, 'CURRENT'), join(dataDir, 'CURRENT'))
    await expect(start().ready()).rejects.toThrow(StoreUnusable)
    await rename(join(dataDir, 'CURRENT'), join(store, 'CURRENT'))
    expect(await listSound(start())).toEqual(names)
  })

  it('P12: with a damaged block says so once, and goes on for everybody whose data it does not hold', async () => {
    const folder = await openFolder()
    await damageBlock(folder)
    const storage = folder.start()
    await storage.ready()
    expect(folder.told).toEqual([])
    const sound = await listSound(storage)
    expect(sound.length).toBeGreaterThan(0)
    expect(sound.length).toBeLessThan(names.length)
    expect(folder.told).toHaveLength(1)
    expect(folder.told[0]).toContain(folder.store)
    expect(folder.told[0]).toMatch(/RESTORED[\s\S]*repair/)
    const damaged = names.filter((name) => !sound.includes(name))
    for (const name of damaged) {
      await expect(storage.database(name).read(ids)).rejects.toThrow(StorageUnavailable)
      // Nothing is opened again for it, which would refuse what others are writing.
      await storage.ready()
      const other = must(sound[0], 'a sound database')
      await storage.database<Note>(other).insert({ _id: `beside ${name}`, text })
    }
    expect(folder.told).toHaveLength(1)
  })
})

describe('a repair', () => {
  it('keeps what can be read, names what is lost, and sets the damaged store aside', async () => {
    const folder = await openFolder()
    await damageBlock(folder)
    const damaged = await readFile(folder.table)
    const { lost, kept, setAside } = await repairStore({ dataDir: folder.dataDir, rebuilt: [] })
    expect(await readFile(join(setAside, folder.table.slice(folder.store.length)))).toEqual(damaged)
    expect(lost.length).toBeGreaterThan(0)
    const storage = folder.start()
    const touched = new Set(lost.map(({ database }) => database))
    expect(await listSound(storage)).toEqual(names.filter((name) => !touched.has(name)))
    const left = new Map<string, number>()
    for (const { database, documents, of } of lost) {
      const { results } = await storage.database<Note>(database).changes({ includeDocs: true })
      expect((await storage.database(database).info()).docCount).toBe(results.length)
      left.set(database, results.length)
      if (of === undefined) expect(ids.length - results.length).toBeGreaterThanOrEqual(documents)
      else expect([of, of - results.length]).toEqual([ids.length, documents])
      // What was lost can be given back.
      await storage.database<Note>(database).update(ids, (stored) => ({
        put: ids.filter((_id) => !stored.has(_id)).map((_id) => ({ _id, text })),
        result: undefined,
      }))
    }
    const sum = [...left.values()].reduce((all, count) => all + count, 0)
    expect(kept).toBe((names.length - left.size) * ids.length + sum)
    expect(await listSound(storage)).toEqual(names)
    expect(folder.told).toEqual([])
  })

  it.each(Object.entries(damages).filter(([what]) => !what.includes('table')))(
    'of a store %s loses nothing',
    async (_what, { damage }) => {
      const folder = await openFolder()
      await damage(folder)
      const { lost, kept } = await repairStore({ dataDir: folder.dataDir, rebuilt: ['notes-0'] })
      expect([lost, kept]).toEqual([[], names.length * ids.length])
      expect(await listSound(folder.start())).toEqual(names)
    },
  )

  it('that was killed before its last step is ended by the next start', async () => {
    const { dataDir, store, start } = await openFolder()
    const beside = join(dataDir, 'store.repaired')
    await cp(store, beside, { recursive: true })
    await rm(store, { recursive: true })
    expect(await listSound(start())).toEqual(names)
    expect(await readdir(dataDir)).toEqual(['store'])
  })

  it('refuses where there is nothing', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'petrel-damage-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    await expect(repairStore({ dataDir, rebuilt: [] })).rejects.toThrow('nothing to repair')
  })
})
