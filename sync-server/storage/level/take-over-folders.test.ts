import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, type Storage } from '../storage.ts'
import { unpackFixture } from '../testing/unpack-fixture.ts'
import type { Level } from './level-store.ts'
import type { SetAside } from './take-over-folders.ts'

async function openFixture() {
  const fixture = await unpackFixture()
  onTestFinished(() => rm(fixture.dataDir, { recursive: true }))
  return fixture
}

type Fixture = Awaited<ReturnType<typeof openFixture>>

async function expectAllTakenOver(storage: Storage, { seen }: Fixture) {
  for (const person of Object.values(seen)) {
    for (const kind of ['messages', 'conversations'] as const) {
      const database = storage.database(`${kind}-${person.id}`)
      const { results, last_seq } = await database.changes({ includeDocs: true, style: 'all_docs' })
      const before = person[kind].results
      // The fixture has one message more than the devices saw.
      const known = results.filter(({ id }) => before.some((row) => row.id === id))
      expect(known.filter(({ seq }) => Number(seq) <= person[kind].last_seq)).toEqual(
        before.filter(({ id }) =>
          known.some((row) => row.id === id && row.seq === seqOf(before, id)),
        ),
      )
      expect(known).toHaveLength(before.length)
      expect(Number(last_seq)).toBeGreaterThanOrEqual(person[kind].last_seq)
    }
  }
}

function seqOf(rows: readonly { id: string; seq: unknown }[], id: string) {
  return rows.find((row) => row.id === id)?.seq
}

test('every database of an earlier version is taken over as it is, and its folder is gone', async () => {
  const fixture = await openFixture()
  const told: { done: number; of: number }[] = []
  const storage = createStorage({
    dataDir: fixture.dataDir,
    onTakeOver: (progress) => told.push(progress),
  })
  onTestFinished(() => storage.close())
  await storage.ready()
  await expectAllTakenOver(storage, fixture)
  const mediaId = fixture.picture.split('/').at(-1)
  const media = await storage.database('media').range({})
  expect(media.some(({ _id }) => _id.includes(String(mediaId)))).toBe(true)
  expect(
    await storage.database(`messages-${fixture.people.ann.id}`).readLocal('checkpoint'),
  ).toEqual(expect.objectContaining({ since: 3 }))
  expect(told[0]).toEqual({ done: 0, of: 11 })
  expect(told.at(-1)).toEqual({ done: 11, of: 11 })
  expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'store'])
  expect((await stat(fixture.dataDir)).mode & 0o777).toBe(0o700)
})

test('a take-over that is killed at any write goes on where it stopped', async () => {
  const fixture = await openFixture()
  // Each start dies one write later, until one completes.
  for (let writes = 1; ; writes += 1) {
    const storage = createStorage({ dataDir: fixture.dataDir, wrapLevel: dieAfter(writes) })
    const isThrough = await storage.ready().then(
      () => true,
      () => false,
    )
    if (isThrough) await expectAllTakenOver(storage, fixture)
    await storage.close()
    if (isThrough) {
      expect(writes).toBeGreaterThan(3)
      break
    }
  }
  expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'store'])
})

function dieAfter(writes: number) {
  let left = writes
  return (level: Level): Level => {
    const batch = level.batch.bind(level)
    const dying = () => {
      left -= 1
      if (left < 0) throw new Error('the process was killed')
      return batch()
    }
    return Object.assign(level, { batch: dying as typeof level.batch })
  }
}

/** Every file of a folder with its contents. */
async function readFiles(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder)
  const read = names.map(
    async (name) => [name, (await readFile(join(folder, name))).toString('hex')] as const,
  )
  return new Map(await Promise.all(read))
}

async function openDamaged(damage: (folder: string) => Promise<void>) {
  const fixture = await openFixture()
  const name = `messages-${fixture.people.ann.id}`
  const folder = join(fixture.dataDir, 'databases', name)
  await damage(folder)
  const before = await readFiles(folder)
  const told: SetAside[] = []
  const onSetAside = (what: SetAside) => told.push(what)
  const storage = createStorage({ dataDir: fixture.dataDir, onSetAside })
  onTestFinished(() => storage.close())
  return { fixture, name, before, told, storage }
}

const tableOf = async (folder: string) =>
  join(folder, (await readdir(folder)).find((name) => name.endsWith('.ldb')) ?? 'no table')

const damages: Record<string, (folder: string) => Promise<void>> = {
  'whose table of contents is gone': async (folder) => {
    for (const name of await readdir(folder)) {
      if (name.startsWith('MANIFEST')) await rm(join(folder, name))
    }
  },
  'with a hole in its table': async (folder) => {
    const table = await tableOf(folder)
    const bytes = await readFile(table)
    await writeFile(table, new Uint8Array(bytes.fill(0xab, 200, 600)))
  },
  'whose table ends in the middle': async (folder) => {
    const table = await tableOf(folder)
    const bytes = await readFile(table)
    await writeFile(table, new Uint8Array(bytes.subarray(0, bytes.length / 2)))
  },
  'whose table is gone': async (folder) => await rm(await tableOf(folder)),
  'of which nothing can be read': async (folder) => {
    for (const name of await readdir(folder)) await writeFile(join(folder, name), 'not a database')
  },
}

test.each(Object.keys(damages))(
  'P12: a damaged database %s stops nobody: what can be used is taken over, and nothing of it is deleted',
  async (how) => {
    const damaged = await openDamaged(damages[how] as (folder: string) => Promise<void>)
    const { fixture, name, before, told, storage } = damaged
    await storage.ready()
    expect(told).toEqual([
      {
        database: name,
        folder: join(fixture.dataDir, 'set-aside', name),
        why: expect.stringMatching(/./),
        broken: expect.any(Array),
      },
    ])
    expect(await readFiles(join(fixture.dataDir, 'set-aside', name))).toEqual(before)
    expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'set-aside', 'store'])

    // Everybody else's is whole, and Ann's is readable and writable.
    const { ann, ...others } = fixture.seen
    await expectAllTakenOver(storage, { ...fixture, seen: others as typeof fixture.seen })
    const database = storage.database(name)
    const { results } = await database.changes({ includeDocs: true, style: 'all_docs' })
    expect(results.length).toBeLessThanOrEqual(ann.messages.results.length + 4)
    for (const row of results) expect(row.doc).toMatchObject({ _id: row.id })
    expect(await database.range({})).toHaveLength((await database.info()).docCount)
    const added = { _id: 'after the damage', senderId: 'a' }
    expect(await database.insert(added)).toEqual({ isInserted: true })
    expect((await database.range({})).map(({ _id }) => _id)).toContain(added._id)
    expect((await database.changes({})).results.at(-1)?.id).toBe(added._id)
  },
)

test('P12: single broken documents are left out, by name, and the others are taken over', async () => {
  const { fixture, name, told, storage } = await openDamaged(async (folder) => {
    const level = new ClassicLevel(folder)
    await level.put('\xffby-sequence\xff0000000000000032', '{"_id":"01a2')
    await level.del('\xffby-sequence\xff0000000000000033')
    await level.close()
  })
  await storage.ready()
  expect(told).toMatchObject([{ database: name, why: 'documents in it are broken' }])
  expect(told[0]?.broken).toHaveLength(2)
  const left = await storage.database(name).range({})
  expect(left).toHaveLength(18)
  expect(left.some(({ _id }) => told[0]?.broken.includes(_id))).toBe(false)
  const { results } = await storage.database(name).changes({ includeDocs: true })
  expect(results).toHaveLength(18)
  expect((await storage.database(name).info()).docCount).toBe(18)
  const { ann: _ann, ...others } = fixture.seen
  await expectAllTakenOver(storage, { ...fixture, seen: others as typeof fixture.seen })
})

test('what is set aside is not set aside again, and a kill in between deletes nothing', async () => {
  const fixture = await openFixture()
  const name = `messages-${fixture.people.ann.id}`
  await rm(await tableOf(join(fixture.dataDir, 'databases', name)))
  const told: SetAside[] = []
  for (let writes = 1; ; writes += 1) {
    const storage = createStorage({
      dataDir: fixture.dataDir,
      wrapLevel: dieAfter(writes),
      onSetAside: (what) => told.push(what),
    })
    const isThrough = await storage.ready().then(
      () => true,
      () => false,
    )
    await storage.close()
    const places = ['databases', 'set-aside'].map((one) => join(fixture.dataDir, one, name))
    const found = await Promise.all(places.map((one) => readdir(one).catch(() => undefined)))
    expect(found.filter(Boolean)).toHaveLength(1)
    if (isThrough) break
  }
  expect(new Set(told.map(({ folder }) => folder)).size).toBe(1)
  expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'set-aside', 'store'])
})

test('a folder that another server works on stops the start, and is named', async () => {
  const fixture = await openFixture()
  const taken = join(fixture.dataDir, 'databases', 'orders')
  // LevelDB locks out other processes only.
  const program = `
    const { ClassicLevel } = await import(${JSON.stringify(import.meta.resolve('classic-level'))})
    await new ClassicLevel(${JSON.stringify(taken)}).open()
    console.log('open')
    setInterval(() => undefined, 60_000)`
  const args = ['--input-type=module', '--eval', program]
  const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const storage = createStorage({ dataDir: fixture.dataDir })
  onTestFinished(() => storage.close())
  await expect(storage.ready()).rejects.toThrow(`The database in ${taken} could not be taken over`)
  expect(await readdir(taken)).not.toEqual([])
})
