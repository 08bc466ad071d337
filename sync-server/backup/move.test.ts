import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, type Storage } from '../storage/storage.ts'
import { startCouch } from '../testing/couch/start-couch.ts'
import { startLikeCouch } from '../testing/couch/start-like-couch.ts'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import { migrateData } from './data-format.ts'
import { cancelMove, moveData } from './move.ts'

const couches = { 'pouchdb-server': startCouch, 'what answers like a CouchDB': startLikeCouch }

async function nameFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-move-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function open(place: { dataDir: string; couchdbUrl?: string }): Storage {
  const storage = createStorage(place)
  onTestFinished(() => storage.close())
  return storage
}

const start = (storage: Storage) => migrateData({ storage, onMigrated: () => undefined })

/** What Ann and Ben leave behind: changes, deletions, branches of two devices, a group, files, a tally. */
async function fill(storage: Storage) {
  await start(storage)
  await storage.database('epochs').insert({ _id: 'installation', epoch: 'the first' } as never)
  await storage.database('accounts').insert({ _id: 'user:ann', username: 'ann' } as never)
  const messages = storage.database<{ _id: string; text?: string; _deleted?: boolean }>(
    'messages-ann',
  )
  for (let index = 0; index < 30; index += 1) {
    const _id = `m${index}`
    await messages.insert({ _id, text: `hello ${index} 🐦 \u2028` })
    await messages.update([_id], () => ({
      put: [{ _id, text: `hello again ${index}` }],
      tally: 7,
      result: undefined,
    }))
  }
  await messages.update(['m3'], () => ({ put: [{ _id: 'm3', _deleted: true }], result: undefined }))
  await storage.replica('messages-ann').take([
    {
      _id: 'm4',
      _rev: '2-b',
      text: 'from a phone',
      _revisions: { start: 2, ids: ['b', 'a'] },
    } as never,
  ])
  await storage.database('group-hikes').insert({ _id: 'group', name: 'Hikes' } as never)
  await storage.database('group-order-hikes').insert({ _id: 'head', last: 1 } as never)
  const bytes = (text: string, count: number) => Buffer.alloc(count, text)
  await storage.attachments('media').write([
    { id: 'p1', bytes: bytes('a picture ', 300_000) },
    { id: 'p2', bytes: bytes('\u0000\u00ff', 1) },
  ])
  await storage.attachments('media').remove(['p2'])
}

/** Everything by its parts, read without what moves it: as text, to compare document by document. */
async function list(storage: Storage): Promise<string[]> {
  const lines: string[] = []
  for (const name of await storage.list()) {
    const database = storage.database(name)
    const { results } = await database.changes({ style: 'all_docs' })
    if (results.length === 0) continue
    for (const { id } of results) {
      if (['leaving', 'arriving'].includes(id)) continue
      const leaves = (await database.readOpenRevisions(id, { openRevs: 'all', revs: true })) ?? []
      const shown = await Promise.all(
        leaves.map(async (leaf) => {
          if (!('ok' in leaf)) return 'missing'
          const { _attachments, ...rest } = leaf.ok as unknown as Record<string, unknown>
          const content = _attachments ? await storage.attachments(name).read(id) : undefined
          const hash = content && createHash('sha256').update(new Uint8Array(content)).digest('hex')
          return JSON.stringify(Object.entries({ ...rest, hash }).sort())
        }),
      )
      lines.push(`${name} ${id} ${shown.sort().join(' | ')}`)
    }
    lines.push(`${name} has the tally ${await database.readTally()}`)
  }
  return lines.sort()
}

test.each(Object.entries(couches))(
  'from a folder to %s and back: each revision, file, deletion and tally is there, and devices begin again',
  async (_, startOne) => {
    const couch = await startOne()
    onTestFinished(couch.close)
    const first = open({ dataDir: await nameFolder() })
    await fill(first)
    const there = open({ dataDir: '', couchdbUrl: couch.url })
    const done = await moveData({
      from: { storage: first, words: '/data' },
      to: { storage: there, words: 'https://couch' },
    })
    expect(done).toMatchObject({ documents: 37, revisions: 38, bytes: 300_000, groups: 1 })
    const moved = await list(there)
    expect(moved).toEqual(await list(first))
    expect(moved.join('\n')).toContain('from a phone')
    expect(moved).toContain('messages-ann has the tally 210')
    expect(moved.find((line) => line.startsWith('epochs'))).not.toContain('the first')
    await start(there)
    // What was there stays, and no server starts on it by mistake.
    await expect(start(first)).rejects.toThrow('These data were moved to https://couch')

    await there.database('accounts').insert({ _id: 'user:ben', username: 'ben' } as never)
    const back = open({ dataDir: await nameFolder() })
    await moveData({
      from: { storage: there, words: 'https://couch' },
      to: { storage: back, words: '/new' },
    })
    expect(await list(back)).toEqual(await list(there))
    expect((await back.database('accounts').read(['user:ben'])).size).toBe(1)
    await start(back)
  },
)

/** Matches everything but the first so many. */
function afterwards(count: number): RegExp {
  const left = { count }
  const pattern = /./
  // Each request is matched in two forms.
  pattern.test = (asked) => {
    if (!asked.startsWith('/')) return false
    left.count -= 1
    return left.count < 0
  }
  return pattern
}

test('broken off at any request, it goes on where it was; no server starts on a half meanwhile', async () => {
  const couch = await startLikeCouch()
  onTestFinished(couch.close)
  const proxy = await startLosingProxy(couch.url)
  onTestFinished(proxy.close)
  const first = open({ dataDir: await nameFolder() })
  await fill(first)
  const words = { from: '/data', to: 'https://couch' }
  const rounds = { broken: 0, halves: 0 }
  for (let wholeRequests = 1; ; wholeRequests += 3) {
    const there = createStorage({ dataDir: '', couchdbUrl: proxy.url })
    // From this request on nothing takes effect any more, as after a kill.
    const repair = proxy.breakPath(afterwards(wholeRequests))
    const outcome = await moveData({
      from: { storage: first, words: words.from },
      to: { storage: there, words: words.to },
    }).catch((error: unknown) => error)
    repair()
    await there.close()
    if (!(outcome instanceof Error)) break
    rounds.broken += 1
    const sane = open({ dataDir: '', couchdbUrl: couch.url })
    if (!(await sane.list()).includes('media')) continue
    rounds.halves += 1
    await expect(start(first)).rejects.toThrow(/petrel move/)
    await expect(start(sane)).rejects.toThrow('Only a part')
  }
  expect(rounds.broken).toBeGreaterThan(5)
  expect(rounds.halves).toBeGreaterThan(2)
  const there = open({ dataDir: '', couchdbUrl: couch.url })
  expect(await list(there)).toEqual(await list(first))
  expect(await there.list()).not.toContain('move-places')
  await start(there)
})

test.each(Object.entries(couches))(
  'files come whole from %s that has failed once',
  async (_, startOne) => {
    const couch = await startOne()
    onTestFinished(couch.close)
    const proxy = await startLosingProxy(couch.url)
    onTestFinished(proxy.close)
    await fill(open({ dataDir: '', couchdbUrl: couch.url }))
    const from = { storage: open({ dataDir: '', couchdbUrl: proxy.url }), words: 'https://couch' }
    const to = { storage: open({ dataDir: await nameFolder() }), words: '/data' }
    const repair = proxy.breakPath(/_bulk_get/)
    await expect(moveData({ from, to })).rejects.toThrow()
    repair()
    expect(await moveData({ from, to })).toMatchObject({ bytes: 300_000 })
    const file = await to.storage.attachments('media').read('p1')
    expect(Buffer.from(file ?? []).equals(Buffer.alloc(300_000, 'a picture '))).toBe(true)
  },
)

test('refuses what would mix or lose data: a full place, a second move, an empty source, a server that still writes', async () => {
  const couch = await startCouch()
  onTestFinished(couch.close)
  const first = { storage: open({ dataDir: await nameFolder() }), words: '/data' }
  const other = { storage: open({ dataDir: await nameFolder() }), words: '/other' }
  const there = { storage: open({ dataDir: '', couchdbUrl: couch.url }), words: 'https://couch' }
  await expect(moveData({ from: first, to: there })).rejects.toThrow('There is nothing to move')
  await fill(first.storage)
  await fill(other.storage)
  const before = await list(other.storage)
  await expect(moveData({ from: first, to: other })).rejects.toThrow('There are data in /other')
  expect(await list(other.storage)).toEqual(before)

  // A server that nothing here can see goes on writing.
  const writing = moveData({
    from: first,
    to: there,
    onProgress({ database, done }) {
      if (database === 'epochs' && done > 0) {
        writes.push(first.storage.database('accounts').insert({ _id: 'user:late' }))
      }
    },
  })
  const writes: Promise<unknown>[] = []
  await expect(writing).rejects.toThrow('a server still runs on it')
  await Promise.all(writes)
  await expect(moveData({ from: other, to: there })).rejects.toThrow('a part of another move')
  await expect(moveData({ from: there, to: other })).rejects.toThrow('only a part')

  // It may stay, go on for a while, and be moved after all.
  expect(await cancelMove(first)).toMatchObject({ place: 'https://couch', state: 'moving' })
  await start(first.storage)
  await first.storage.database('accounts').insert({ _id: 'user:later' })
  await moveData({ from: first, to: there })
  expect(await list(there.storage)).toEqual(await list(first.storage))
  await expect(moveData({ from: first, to: there })).rejects.toThrow('were moved to https://couch')
  expect(await cancelMove(other)).toBeUndefined()
})
