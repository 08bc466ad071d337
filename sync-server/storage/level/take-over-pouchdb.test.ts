import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test } from 'vitest'
import type { ChangesPage, Document, Stored } from '../documents/documents.ts'
import type { Measure } from '../replica.ts'
import { createStorage, type Storage } from '../storage.ts'
import { createFaultyDisk } from '../testing/faulty-disk.ts'

/** What the last version with PouchDB's layout answered for one database. */
interface Seen {
  info: { docCount: number; updateSeq: number }
  changes: ChangesPage<Document>
  open: Record<string, unknown>
  tally: number
  range: Stored<Document>[]
  measure: Measure
  local?: Record<string, unknown>
}

interface Fixture {
  /** Keys, and values in base64. */
  entries: [key: string, value: string][]
  seen: Record<string, Seen>
}

const openLevel = (dataDir: string) =>
  new ClassicLevel<string, Buffer>(join(dataDir, 'store'), {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
  })

/** A `DATA_DIR` as the last version with PouchDB's layout left it. */
async function unpackStore(change: (entries: Map<string, Buffer>) => void = () => undefined) {
  const path = new URL('../testing/fixtures/pouchdb-layout.json.gz', import.meta.url)
  const packed = new Uint8Array(await readFile(path))
  const { entries, seen }: Fixture = JSON.parse(gunzipSync(packed).toString())
  const kept = new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64')]))
  change(kept)
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-pouchdb-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const level = openLevel(dataDir)
  await level.batch([...kept].map(([key, value]) => ({ type: 'put', key, value })))
  await level.close()
  return { dataDir, seen }
}

async function expectAllTakenOver(storage: Storage, seen: Record<string, Seen>) {
  expect(await storage.list()).toEqual(Object.keys(seen))
  for (const [name, before] of Object.entries(seen)) {
    const database = storage.database(name)
    expect(await database.info()).toEqual(before.info)
    expect(await database.changes({ style: 'all_docs', includeDocs: true })).toEqual({
      ...before.changes,
      results: before.changes.results.map((row) => ({ ...row, changes: expect.any(Array) })),
    })
    for (const [id, leaves] of Object.entries(before.open)) {
      const found = await database.readOpenRevisions(id, { openRevs: 'all', revs: true })
      expect(found).toHaveLength((leaves as unknown[]).length)
      expect(found).toEqual(expect.arrayContaining(leaves as unknown[]))
    }
    expect(await database.range({})).toEqual(before.range)
    expect(await database.readTally()).toBe(before.tally)
    expect(await storage.replica(name).measure(() => true)).toEqual(before.measure)
  }
  expect(await storage.database('notes').readLocal('checkpoint')).toEqual(seen.notes?.local)
}

/** Every key of a stopped server's store. */
async function listKeys(dataDir: string) {
  const level = openLevel(dataDir)
  const keys = await level.keys().all()
  await level.close()
  return keys
}

test('every document, revision, place, file and checkpoint of a store in PouchDB’s layout is taken over', async () => {
  const { dataDir, seen } = await unpackStore()
  const told: { done: number; of: number }[] = []
  const storage = createStorage({ dataDir, onTakeOver: (progress) => told.push(progress) })
  onTestFinished(() => storage.close())
  await storage.ready()
  await expectAllTakenOver(storage, seen)
  expect(told.at(-1)).toEqual({ done: 3, of: 3 })
  const files = storage.attachments('files')
  expect(await files.read('part:a:0')).toEqual(Buffer.from([0, 255, 128, 1]))
  expect(await files.read('part:a:1')).toEqual(Buffer.alloc(300, 7))
  // It goes on where it was.
  await storage.database('notes').insert({ _id: 'new' })
  expect((await storage.database('notes').changes({ since: 42 })).results).toMatchObject([
    { id: 'new', seq: 43 },
  ])
  await storage.close()
  const old = (await listKeys(dataDir)).filter((key) => key.includes('\xff'))
  expect(old.filter((key) => !key.startsWith('formats!'))).toEqual([])
})

test.each(['before', 'after'] as const)(
  'a take-over that is killed %s any of its writes goes on where it was',
  async (side) => {
    for (let after = 0; ; after += 1) {
      const { dataDir, seen } = await unpackStore()
      const disk = createFaultyDisk()
      disk.dieAt({ after, side })
      const killed = createStorage({ dataDir, wrapLevel: disk.wrapLevel })
      const outcome = await killed.ready().then(
        () => 'through',
        () => 'killed',
      )
      await killed.close()
      if (!disk.isDead()) {
        expect([outcome, after]).toEqual(['through', expect.any(Number)])
        expect(after).toBeGreaterThan(6)
        return
      }
      disk.beginLife()
      const storage = createStorage({ dataDir, wrapLevel: disk.wrapLevel })
      await storage.ready()
      await expectAllTakenOver(storage, seen)
      await storage.close()
    }
  },
)

test('P12: a broken document is left out and named, and what is left of it stays', async () => {
  const broken = 'notes!\xffby-sequence\xff0000000000000001'
  const { dataDir } = await unpackStore((entries) => {
    entries.set(broken, Buffer.from('{"_id":"pl'))
  })
  const told: string[] = []
  const storage = createStorage({ dataDir, onDamage: (words) => told.push(words) })
  onTestFinished(() => storage.close())
  await storage.ready()
  expect(told).toEqual([expect.stringContaining('1 documents of notes are broken')])
  expect(told[0]).toContain('plain')
  const notes = storage.database('notes')
  const ids = (await notes.range({})).map(({ _id }) => _id)
  expect(ids).toEqual(['back', 'often', 'plain 2', 'pushed', 'torn'])
  expect(await notes.info()).toEqual({ docCount: 5, updateSeq: 42 })
  await storage.close()
  expect(await listKeys(dataDir)).toContain(broken)
})

test('an earlier version finds data of a format that it does not know, and not an empty store', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-pouchdb-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const storage = createStorage({ dataDir })
  await storage.database('formats').insert({ _id: 'data' })
  expect(await storage.list()).toEqual(['formats'])
  await storage.close()
  const level = openLevel(dataDir)
  onTestFinished(() => level.close())
  const prefix = 'formats!\xff'
  const tree = JSON.parse(String(await level.get(`${prefix}document-store\xffdata`)))
  expect(tree).toMatchObject({ winningRev: '1-0', deleted: false, rev_map: { '1-0': 1 } })
  const body = JSON.parse(String(await level.get(`${prefix}by-sequence\xff0000000000000001`)))
  expect(body).toEqual({ _id: 'data', _rev: '1-0', format: 1000 })
})
