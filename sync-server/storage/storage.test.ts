import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import { describeCouches } from './couch/couches.contract.ts'
import type { Seq } from './documents/documents.ts'
import type { News } from './documents/signals.ts'
import { describeStorage } from './storage.contract.ts'
import { createStorage, type Storage, type StorageOptions } from './storage.ts'

const opened: Storage[] = []
const folders: string[] = []

async function openLevel(options: Partial<StorageOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-storage-'))
  folders.push(dataDir)
  return keep(createStorage({ dataDir, ...options }))
}

function keep(storage: Storage) {
  opened.push(storage)
  return storage
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

describeStorage('LevelDB', () => openLevel())

test('what was written is announced with the place before and the one after, whatever it was', async () => {
  const storage = await openLevel()
  const notes = storage.database<Counter>('notes')
  const heard: { seq: Seq; news: News | undefined }[] = []
  storage.signals.subscribe((_name, seq, news) => heard.push({ seq, news }))
  await notes.insert({ _id: 'a', count: 0 })
  const branch = (...ids: string[]) => ({ id: 'a', revisions: { start: ids.length, ids } })
  const count = (by: number) =>
    notes.update(['a', 'b'], (stored) => ({
      put: ['a', 'b'].map((_id) => ({ _id, count: (stored.get(_id)?.count ?? 0) + by })),
      // One unknown branch, and known ones: fewer are new than were given.
      pushed: by === 2 ? [branch('x', 'y'), branch('z', 'y')] : [],
      result: null,
    }))
  for (const by of [1, 2, 2, 3]) await count(by)
  await Promise.all([count(4), count(5)])
  let at: Seq = 0
  for (const { seq, news } of heard) {
    expect(news?.from).toBe(at)
    at = seq
  }
  expect(at).toBe(await notes.updateSeq())
  const stored = await notes.read(['a', 'b'])
  const told = new Map(heard.flatMap(({ news }) => news?.docs.map((doc) => [doc._id, doc]) ?? []))
  expect(told).toEqual(stored)
})

test('P7: what was stored although others of its group were not is announced too', async () => {
  const storage = await openLevel()
  const heard: string[] = []
  storage.signals.subscribe((name) => heard.push(name))
  const refused = { _id: '_no document may have such an id', count: 0 }
  // The first is running when the others arrive, which are then written together.
  const outcomes = await Promise.allSettled([
    storage.database<Counter>('first').insert({ _id: 'a', count: 0 }),
    storage.database<Counter>('notes').insert({ _id: 'a', count: 0 }),
    storage.database<Counter>('others').insert(refused),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(heard).toContain('notes')
})

test('P12: a database that is removed for good stays away, whatever was under way', async () => {
  const storage = await openLevel()
  const notes = storage.database<Counter>('notes')
  const others = storage.database<Counter>('others')
  const write = (index: number) => [
    notes.insert({ _id: `insert-${index}`, count: index }),
    notes.writeLocal(`local-${index}`, { index }),
    storage.transact({
      parts: ['others', 'notes'].map((name) => ({ name, ids: [`both-${index}`] })),
      decide: () => ({
        writes: ['others', 'notes'].map((name) => ({ name, put: [{ _id: `both-${index}` }] })),
        result: null,
      }),
    }),
  ]
  const before = Array.from({ length: 20 }, (_, index) => write(index)).flat()
  const gone = storage.retire('notes')
  const after = Array.from({ length: 20 }, (_, index) => write(100 + index)).flat()
  await Promise.allSettled([...before, gone, ...after])
  await gone
  await expect(notes.read(['insert-0'])).rejects.toThrow('notes was removed for good')
  // A refused transaction stores nothing in its other database either.
  expect([...(await others.read(['both-100'])).keys()]).toEqual([])
  await storage.close()
  const again = keep(createStorage({ dataDir: folders.at(-1) ?? '' })).database<Counter>('notes')
  expect(await again.info()).toEqual({ docCount: 0, updateSeq: 0 })
  const locals = Array.from({ length: 20 }, (_, index) => [
    `local-${index}`,
    `local-${100 + index}`,
  ])
  for (const id of locals.flat()) expect(await again.readLocal(id)).toBeUndefined()
})

describeCouches('storage', (couch) => {
  describeStorage('CouchDB', async () => {
    const storage = keep(createStorage({ dataDir: '', couchdbUrl: couch.url }))
    await storage.destroy('notes')
    return storage
  })

  test('two servers that write the same document at the same time lose nothing', async () => {
    const [one, other] = [0, 1].map(() =>
      keep(createStorage({ dataDir: '', couchdbUrl: couch.url })).database<Counter>('counters'),
    )
    const raise = (database: typeof one) =>
      database?.update(['n'], (stored) => {
        const count = (stored.get('n')?.count ?? 0) + 1
        return { put: [{ _id: 'n', count }], result: count }
      })
    await Promise.all(Array.from({ length: 20 }, (_, i) => raise(i % 2 === 0 ? one : other)))
    expect((await one?.read(['n']))?.get('n')?.count).toBe(20)
  })

  test.each([
    ['with a new body', 1],
    ['that changes nothing', 0],
  ])(
    'a pushed revision %s covers nothing that was written since its document was read',
    async (_what, by) => {
      const storage = keep(createStorage({ dataDir: '', couchdbUrl: couch.url }))
      for (const name of ['counters', 'notes']) await storage.destroy(name)
      const counters = storage.database<Counter>('counters')
      let isOvertaken = false
      async function overtake() {
        if (isOvertaken) return
        isOvertaken = true
        await counters.update(['n'], () => ({ put: [{ _id: 'n', count: 100 }], result: 0 }))
      }
      const { revs } = await counters.update(['n'], () => ({
        put: [{ _id: 'n', count: 1 }],
        result: 0,
      }))
      const [, hash = ''] = revs.get('n')?.split('-') ?? []
      await storage.transact({
        parts: ['notes', 'counters'].map((name) => ({ name, ids: ['n'] })),
        decide(read) {
          const count = (read<Counter>('counters').get('n')?.count ?? 0) + by
          const pushed = [{ id: 'n', revisions: { start: 2, ids: ['pushed', hash] } }]
          const own = { name: 'counters', put: [{ _id: 'n', count }], pushed }
          return { writes: [{ name: 'notes', put: [{ _id: 'n', count }] }, own], result: 0 }
        },
        onWritten: overtake,
      })
      expect((await counters.read(['n'])).get('n')?.count).toBe(100 + by)
      const leaves = (await counters.readOpenRevisions('n', { openRevs: 'all' })) ?? []
      expect(leaves.filter((leaf) => 'ok' in leaf && !leaf.ok._deleted)).toHaveLength(1)
      expect(await counters.findMissingRevisions({ n: ['2-pushed'] })).toEqual({})
    },
  )

  test.each([['to it', /_bulk_docs/]])(
    'P7: a write that is done, and the answer %s lost, wakes who waits',
    async (_which, path) => {
      const proxy = await startLosingProxy(couch.url)
      onTestFinished(proxy.close)
      const storage = keep(createStorage({ dataDir: '', couchdbUrl: proxy.url }))
      await storage.destroy('notes')
      const { signals } = storage
      const notes = storage.database('notes')
      await notes.insert({ _id: 'first' })
      const seen = signals.lastSeq('notes')
      const woken = signals.wait('notes', seen, { timeoutMs: 10_000 })
      proxy.loseAnswerTo(path)
      await expect(notes.insert({ _id: 'second' })).rejects.toThrow()
      expect(proxy.isLost()).toBe(true)
      expect(await woken).toBe(true)
      // An immediate look may be too early: the try that finds the write done announces it again.
      const early = signals.wait('notes', signals.lastSeq('notes'), { timeoutMs: 10_000 })
      expect(await notes.insert({ _id: 'second' })).toEqual({ isInserted: false })
      expect(await early).toBe(true)
    },
  )
})

interface Counter {
  _id: string
  count: number
}

describe('LevelDB on this machine', () => {
  test('waiting updates are joined: many updates, few waits for the disk', async () => {
    const storage = await openLevel()
    const counters = storage.database<Counter>('counters')
    await counters.insert({ _id: 'first', count: 0 })
    const before = storage.stats().syncedWrites
    const ids = Array.from({ length: 200 }, (_, i) => `n${i}`)
    await Promise.all(ids.map((_id) => counters.insert({ _id, count: 1 })))
    expect((await counters.read(ids)).size).toBe(200)
    expect(storage.stats().syncedWrites - before).toBeLessThanOrEqual(2)
  })

  test('every acknowledged write has waited for the disk', async () => {
    const storage = await openLevel()
    const counters = storage.database<Counter>('counters')
    await counters.insert({ _id: 'first', count: 0 })
    const before = storage.stats().syncedWrites
    for (let i = 0; i < 5; i += 1) await counters.insert({ _id: `n${i}`, count: i })
    expect(storage.stats().syncedWrites - before).toBe(5)
  })

  test('relaxed durability waits for no disk', async () => {
    const storage = await openLevel({ durability: 'relaxed' })
    await storage.database<Counter>('counters').insert({ _id: 'n', count: 1 })
    expect(storage.stats().syncedWrites).toBe(0)
  })

  test('P9: a thousand databases are used at once in one store, and each wait for the disk serves many', async () => {
    const storage = await openLevel()
    const names = Array.from({ length: 1_000 }, (_, i) => `counters-${i}`)
    await Promise.all(
      names.map((name) => storage.database<Counter>(name).insert({ _id: 'n', count: 1 })),
    )
    expect(storage.stats().syncedWrites).toBeLessThan(20)
    const found = await Promise.all(names.map((name) => storage.database(name).read(['n'])))
    expect(found.filter(({ size }) => size === 1)).toHaveLength(1_000)
    expect(await readdir(folders.at(-1) ?? '')).toEqual(['store'])
  })

  test('what is only read leaves no trace', async () => {
    const storage = await openLevel()
    await storage.database('counters').read(['n'])
    expect(await storage.database('counters').updateSeq()).toBe(0)
    expect(storage.stats()).toMatchObject({ keysWritten: 0, syncedWrites: 0 })
  })

  test('P9: an unused database is closed', async () => {
    const storage = await openLevel({ idleCloseMs: 20 })
    await storage.database<Counter>('counters').insert({ _id: 'n', count: 1 })
    await expect.poll(() => storage.stats().open).toBe(0)
    expect((await storage.database<Counter>('counters').read(['n'])).get('n')?.count).toBe(1)
  })

  test('P9: an unused database is closed, also where the clock is set back by months', async () => {
    const storage = await openLevel({ idleCloseMs: 20 })
    onTestFinished(() => void vi.useRealTimers())
    await storage.database<Counter>('counters').insert({ _id: 'n', count: 1 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2020, 0, 1) })
    await storage.database<Counter>('counters').read(['n'])
    vi.setSystemTime(Date.UTC(2019, 0, 1))
    await expect.poll(() => storage.stats().open).toBe(0)
  })

  test('P9: waiting for a change opens nothing', async () => {
    const storage = await openLevel({ idleCloseMs: 5 })
    const waits = Array.from({ length: 100 }, (_, i) =>
      storage.signals.wait(`messages-${i}`, undefined, { timeoutMs: 60_000 }),
    )
    expect(storage.stats().open).toBe(0)
    storage.signals.close()
    expect(await Promise.all(waits)).not.toContain(true)
  })

  test('what is stored is there after closing and opening again', async () => {
    const storage = await openLevel()
    const dataDir = folders.at(-1) ?? ''
    await storage.database<Counter>('counters').insert({ _id: 'n', count: 7 })
    await storage.close()
    const again = keep(createStorage({ dataDir }))
    expect((await again.database<Counter>('counters').read(['n'])).get('n')?.count).toBe(7)
  })

  test('a second server on the same folder is told so, and the first is not disturbed', async () => {
    const storage = await openLevel()
    const dataDir = folders.at(-1) ?? ''
    await storage.database<Counter>('counters').insert({ _id: 'n', count: 7 })
    const second = keep(createStorage({ dataDir }))
    await expect(second.database<Counter>('counters').read(['n'])).rejects.toThrow('Another server')
    await second.close()
    expect((await storage.database<Counter>('counters').read(['n'])).get('n')?.count).toBe(7)
  })
})
