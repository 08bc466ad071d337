import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { PushedRevision } from '../documents/grow-branch.ts'
import { isStorageUnavailable } from '../documents/storage-errors.ts'
import { createStorage } from '../storage.ts'
import type { StoredDatabase } from '../stored-database.ts'
import { countingReads } from '../testing/counting-reads.ts'
import { dumpStore } from '../testing/dump-store.ts'
import { decodeRow, keyOf, rangeOf } from './document-rows.ts'
import type { Level } from './level-store.ts'

interface Note {
  _id: string
  count: number
}

async function openNotes(wrap = (level: Level) => level) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-group-'))
  const reads = countingReads()
  const storage = createStorage({
    dataDir,
    durability: 'relaxed',
    wrapLevel: (level) => reads.wrap(wrap(level)),
  })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const notes = storage.database<Note>('notes')
  /** Closes the storage. @returns what is stored of a document */
  async function readRecord(id: string) {
    await storage.close()
    const stored = new Map(await dumpStore(dataDir))
    const text = stored.get(rangeOf('notes').gte + keyOf.document(id)) ?? ''
    return { text, ...decodeRow(text) }
  }
  return { storage, reads, notes, readRecord }
}

async function put(
  notes: StoredDatabase<Note>,
  body: object,
  pushed: readonly PushedRevision[] = [],
) {
  const write = { put: [{ _id: 'a', count: 0, ...body }], pushed, result: undefined }
  await notes.update(['a'], () => write)
}

test('a new version of what was just written costs no read and four keys, however many came before', async () => {
  const { storage, reads, notes } = await openNotes()
  const raise = () =>
    notes.update(['a'], (stored) => ({
      put: [...stored.values()].map((note) => ({ ...note, count: note.count + 1 })),
      result: undefined,
    }))
  await notes.insert({ _id: 'a', count: 0 })
  // More than are kept in the tree.
  for (let count = 0; count < 30; count++) await raise()
  const before = { reads: reads.count(), keys: storage.stats().keysWritten }
  for (let count = 0; count < 10; count++) await raise()
  expect((reads.count() - before.reads) / 10).toBe(0)
  // The document, its place, the removal of the place before, the counters.
  expect((storage.stats().keysWritten - before.keys) / 10).toBe(4)
  expect((await notes.read(['a'])).get('a')).toMatchObject({ count: 40 })
  const { results } = await notes.changes({ includeDocs: true })
  expect(results.map(({ id, doc }) => [id, doc?.count])).toEqual([['a', 40]])
})

test('a document that is removed and made again stays one line of revisions, however often', async () => {
  const { storage, notes, readRecord } = await openNotes()
  for (let count = 1; count <= 200; count++) {
    await put(notes, { count })
    await put(notes, { _deleted: true })
  }
  // Without a read of it before.
  await storage.transact({
    parts: [{ name: 'notes', ids: [] }],
    decide: () => ({
      writes: [{ name: 'notes', create: [{ _id: 'a', count: 201 } as Note] }],
      result: undefined,
    }),
  })
  await put(notes, { count: 202 })
  expect((await notes.read(['a'])).get('a')?.count).toBe(202)
  expect(await notes.info()).toMatchObject({ docCount: 1 })
  const { text, leaves } = await readRecord('a')
  expect(leaves).toHaveLength(1)
  // A hash of each of the twenty revisions that are kept.
  expect(leaves[0]?.ids).toHaveLength(20)
  expect(text.length).toBeLessThan(20 * 50)
})

test('beginnings that a replicator pushed stay, and no other comes to them', async () => {
  const { notes, readRecord } = await openNotes()
  for (const hash of ['aa', 'bb', 'cc']) {
    await put(notes, { count: 1 }, [{ id: 'a', revisions: { start: 1, ids: [hash] } }])
    await put(notes, { _deleted: true })
  }
  for (let count = 0; count < 30; count++) {
    await put(notes, { count })
    expect((await notes.read(['a'])).get('a')?.count).toBe(count)
    await put(notes, { _deleted: true })
    expect(await notes.read(['a'])).toEqual(new Map())
  }
  expect((await readRecord('a')).leaves).toHaveLength(3)
})

test('a read beside a write gives the version before it or the new one, and after it the new one', async () => {
  const { notes } = await openNotes()
  await notes.insert({ _id: 'a', count: 0 })
  for (let count = 1; count <= 50; count++) {
    const update = notes.update(['a'], (stored) => ({
      put: [...stored.values()].map((note) => ({ ...note, count })),
      result: undefined,
    }))
    // Reads beside the write: the version before or the new one, and never neither.
    const beside = await Promise.all([1, 2, 3].map(() => notes.read(['a'])))
    for (const found of beside) {
      expect([count - 1, count]).toContain(found.get('a')?.count)
    }
    await update
    expect((await notes.read(['a'])).get('a')?.count).toBe(count)
  }
})

test('a change that is on the disk is told, though what is remembered follows by a moment', async () => {
  const held = holdWrite()
  const { notes } = await openNotes(held.wrap)
  await notes.insert({ _id: 'a', count: 0 })
  const { last_seq } = await notes.changes({})
  held.begin()
  const update = put(notes, { count: 1 })
  await held.isStored
  const { results } = await notes.changes({ since: last_seq, includeDocs: true })
  expect(results.map(({ doc }) => doc?.count)).toEqual([1])
  held.release()
  await update
})

test('P6: a damaged document fails the transaction that needs it, and no other of its group', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-damaged-'))
  const open = () => createStorage({ dataDir, durability: 'relaxed' })
  const before = open()
  for (const _id of ['a', 'damaged']) {
    await before.database<Note>('notes').insert({ _id, count: 0 })
  }
  await before.close()
  const level = new ClassicLevel(join(dataDir, 'store'))
  await level.put(`${rangeOf('notes').gte}${keyOf.document('damaged')}`, '{"seq":2,"le')
  await level.close()

  const storage = open()
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const raise = (_id: string) =>
    storage.database<Note>('notes').update([_id], (stored) => ({
      put: [...stored.values()].map((note) => ({ ...note, count: note.count + 1 })),
      result: undefined,
    }))
  const insert = (name: string) => storage.database<Note>(name).insert({ _id: 'b', count: 0 })
  // The first is written alone, and the others wait for it together.
  const [, ...others] = await Promise.allSettled([
    insert('notes'),
    raise('a'),
    raise('damaged'),
    insert('others'),
  ])
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(others[1]).toMatchObject({ reason: { message: 'a stored document is damaged' } })
  expect(others[1]?.status === 'rejected' && isStorageUnavailable(others[1].reason)).toBe(true)
  expect((await storage.database<Note>('notes').read(['a'])).get('a')?.count).toBe(1)
})

/** Holds back the answer to the first write after `begin`, until `release`. */
function holdWrite() {
  const stored = createDeferred()
  const released = createDeferred()
  const state = { isArmed: false }
  const wrap = (level: Level): Level => {
    const openBatch = level.batch.bind(level)
    const openHeld = () => {
      const batch = openBatch()
      const write = batch.write.bind(batch)
      return Object.assign(batch, {
        async write(...given: Parameters<typeof write>) {
          await write(...given)
          if (!state.isArmed) return
          state.isArmed = false
          stored.resolve()
          await released.promise
        },
      })
    }
    return Object.assign(level, { batch: openHeld as Level['batch'] })
  }
  return {
    wrap,
    isStored: stored.promise,
    begin() {
      state.isArmed = true
    },
    release: () => released.resolve(),
  }
}
