import { describe, expect, test } from 'vitest'
import type { ChangesPage, Seq } from './documents/documents.ts'
import type { Storage } from './storage.ts'

interface Note {
  _id: string
  text?: string
  count?: number
}

/** The contract of every storage. @param open gives a storage with its own databases */
export function describeStorage(kind: string, open: () => Storage | Promise<Storage>) {
  describe(`storage on ${kind}`, () => {
    test('what is put can be read, by id and by range', async () => {
      const notes = (await open()).database<Note>('notes')
      const ids = ['a', 'b', 'c', 'd']
      await notes.update(ids, () => ({ put: ids.map((_id) => ({ _id, text: _id })), result: null }))
      const read = await notes.read(['b', 'nobody', 'd'])
      expect([...read.keys()]).toEqual(['b', 'd'])
      expect(read.get('d')).toMatchObject({ _id: 'd', text: 'd', _rev: expect.any(String) })
      const idsOf = (docs: Note[]) => docs.map((doc) => doc._id)
      expect(idsOf(await notes.range({ startkey: 'b', endkey: 'c' }))).toEqual(['b', 'c'])
      const last = await notes.range({ startkey: 'z', endkey: 'b', limit: 2, descending: true })
      expect(idsOf(last)).toEqual(['d', 'c'])
    })

    test('ids that JavaScript knows of are ids like others', async () => {
      const notes = (await open()).database<Note>('notes')
      const ids = ['__proto__', 'constructor', 'a/b', 'ü ?&=#%']
      const storable = ids.filter((id) => !id.startsWith('_'))
      await notes.update(storable, () => ({
        put: storable.map((_id) => ({ _id, text: _id })),
        result: null,
      }))
      expect([...(await notes.read(ids)).keys()].sort()).toEqual([...storable].sort())
    })

    test('concurrent updates lose nothing', async () => {
      const notes = (await open()).database<Note>('notes')
      await Promise.all(
        Array.from({ length: 100 }, () =>
          notes.update(['n'], (stored) => {
            const count = (stored.get('n')?.count ?? 0) + 1
            return { put: [{ _id: 'n', count }], result: count }
          }),
        ),
      )
      expect((await notes.read(['n'])).get('n')?.count).toBe(100)
    })

    test('a tally is what the writes of a database have added, and goes with it', async () => {
      const storage = await open()
      const notes = storage.database<Note>('notes')
      const add = (_id: string, tally: number) =>
        storage.transact({
          parts: [{ name: 'notes', ids: [_id] }],
          decide: () => ({ writes: [{ name: 'notes', put: [{ _id }], tally }], result: null }),
        })
      expect(await notes.readTally()).toBe(0)
      await Promise.all(Array.from({ length: 20 }, (_, index) => add(`n${index}`, index)))
      await add('last', -10)
      expect(await notes.readTally()).toBe(180)
      await storage.destroy('notes')
      expect(await notes.readTally()).toBe(0)
    })

    test('the tallies of databases that are written together are each their own', async () => {
      const storage = await open()
      await storage.destroy('others')
      await storage.transact({
        parts: ['notes', 'others'].map((name) => ({ name, ids: ['n'] })),
        decide: () => ({
          writes: [
            { name: 'others', put: [{ _id: 'n' }], tally: 5 },
            { name: 'notes', put: [{ _id: 'n' }], tally: 7 },
          ],
          result: null,
        }),
      })
      expect(await storage.database('others').readTally()).toBe(5)
      expect(await storage.database('notes').readTally()).toBe(7)
      await storage.destroy('others')
    })

    test('a database that is removed for good is not made again', async () => {
      const storage = await open()
      const left = storage.database<Note>('left-behind')
      await left.insert({ _id: 'n' })
      await storage.retire('left-behind')
      const late = [left.insert({ _id: 'm' }), left.writeLocal('l', {}), left.changes({})]
      for (const one of await Promise.allSettled(late)) {
        expect(one).toMatchObject({ status: 'rejected', reason: { name: 'DatabaseGone' } })
      }
      await storage.retire('left-behind')
    })

    test('what is not replicated can be taken away', async () => {
      const notes = (await open()).database<Note>('notes')
      await notes.writeLocal('place', { at: 1 })
      await notes.removeLocal('place')
      expect(await notes.readLocal('place')).toBeUndefined()
      await notes.removeLocal('place')
      await notes.writeLocal('place', { at: 2 })
      expect(await notes.readLocal('place')).toMatchObject({ at: 2 })
    })

    test('updates of different fields of one document at the same time lose nothing', async () => {
      const storage = await open()
      const notes = storage.database<Note>('notes')
      const write = (field: string) =>
        notes.update(['n'], (stored) => ({
          put: [{ ...stored.get('n'), _id: 'n', [field]: field }],
          result: field,
        }))
      await Promise.all(['text', 'other', 'third'].map(write))
      const read = (await notes.read(['n'])).get('n')
      expect(read).toMatchObject({ text: 'text', other: 'other', third: 'third' })
    })

    test('an update that throws is told so, stores nothing, and holds nobody up', async () => {
      const notes = (await open()).database<Note>('notes')
      const failing = notes.update(['a'], () => {
        throw new Error('no')
      })
      const passing = notes.update(['b'], () => ({ put: [{ _id: 'b' }], result: 'yes' }))
      await expect(failing).rejects.toThrow('no')
      expect((await passing).result).toBe('yes')
      expect([...(await notes.read(['a', 'b'])).keys()]).toEqual(['b'])
    })

    test('what cannot be stored fails alone', async () => {
      const notes = (await open()).database<Note & { _special?: string }>('notes')
      await notes.insert({ _id: 'first' })
      const tries = [
        { _id: 'a' },
        { _id: 'b', _special: 'PouchDB refuses this field' },
        { _id: 'c' },
      ]
      const results = await Promise.allSettled(tries.map((doc) => notes.insert(doc)))
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect([...(await notes.read(['a', 'b', 'c'])).keys()]).toEqual(['a', 'c'])
    })

    test('a write that changes nothing leaves no trace', async () => {
      const notes = (await open()).database<Note>('notes')
      const write = () => notes.update(['a'], () => ({ put: [{ _id: 'a', text: 'x' }], result: 0 }))
      const first = await write()
      const { last_seq } = await notes.changes({})
      const second = await write()
      expect(second.revs.get('a')).toBe(first.revs.get('a'))
      expect((await notes.changes({ since: last_seq })).results).toEqual([])
    })

    test('a removed document is not there any more, also not for the update after it', async () => {
      const notes = (await open()).database<Note & { _deleted?: true }>('notes')
      await notes.insert({ _id: 'a', text: 'x' })
      const removed = notes.update(['a'], () => ({
        put: [{ _id: 'a', _deleted: true }],
        result: 0,
      }))
      const seen = await notes.update(['a'], (stored) => ({ result: stored.has('a') }))
      await removed
      expect(seen.result).toBe(false)
      expect((await notes.read(['a'])).size).toBe(0)
      expect(await notes.insert({ _id: 'a', text: 'y' })).toEqual({ isInserted: true })
      expect((await notes.read(['a'])).get('a')?.text).toBe('y')
    })

    test('a document that is made again follows its removal, and the changes have it', async () => {
      const notes = (await open()).database<Note & { _deleted?: true }>('notes')
      const put = (body: object) =>
        notes.update(['a'], () => ({ put: [{ _id: 'a', ...body }], result: 0 }))
      await put({ text: 'x' })
      await put({ _deleted: true })
      const [removed] = (await notes.changes({})).results
      const { last_seq } = await notes.changes({})
      const { revs } = await put({ text: 'y' })
      const again = await notes.readRevision('a', { revs: true })
      const rev = revs.get('a')
      const hash = removed?.changes[0]?.rev.slice('2-'.length)
      const _revisions = { start: 3, ids: [expect.any(String), hash, expect.any(String)] }
      expect(again).toMatchObject({ text: 'y', _rev: rev, _revisions })
      const { results } = await notes.changes({ since: last_seq, style: 'all_docs' })
      expect(results).toMatchObject([{ id: 'a', changes: [{ rev }] }])
      expect(results[0]).not.toHaveProperty('deleted')
    })

    test('insert creates once, whoever comes first', async () => {
      const notes = (await open()).database<Note>('notes')
      const tries = await Promise.all(
        ['Ann', 'Ben'].map((text) => notes.insert({ _id: 'name', text })),
      )
      expect(tries.filter(({ isInserted }) => isInserted)).toHaveLength(1)
    })

    test('changes come page by page, each once, and an empty page keeps its place', async () => {
      const notes = (await open()).database<Note>('notes')
      const ids = Array.from({ length: 9 }, (_, i) => `n${i}`)
      for (const _id of ids) await notes.insert({ _id, text: _id })
      const found: Note[] = []
      let since: Seq = 0
      for (;;) {
        const page: ChangesPage<Note> = await notes.changes({ since, limit: 2, includeDocs: true })
        since = page.last_seq
        if (page.results.length === 0) break
        found.push(...page.results.flatMap(({ doc }) => doc ?? []))
      }
      expect(found.map(({ text }) => text).sort()).toEqual(ids)
      await notes.insert({ _id: 'last' })
      expect((await notes.changes({ since })).results.map(({ id }) => id)).toEqual(['last'])
    })

    test('changes go on behind each row, whatever order they come in', async () => {
      const notes = (await open()).database<Note>('notes')
      const ids = Array.from({ length: 9 }, (_, i) => `n${i}`)
      for (const _id of ids) await notes.insert({ _id })
      const { results } = await notes.changes({})
      for (const [index, { seq }] of results.entries()) {
        const before = results.slice(0, index + 1).map(({ id }) => id)
        const behind = (await notes.changes({ since: seq })).results.map(({ id }) => id)
        expect([...before, ...behind].sort()).toEqual(ids)
      }
    })

    test.each([
      ['a number', 7_000],
      ['words', 'abc'],
      ['a fraction', 1.5],
    ])('a place that no history has, %s, is its beginning', async (_what, since) => {
      const notes = (await open()).database<Note>('notes')
      await notes.insert({ _id: 'a' })
      expect((await notes.changes({ since })).results.map(({ id }) => id)).toEqual(['a'])
    })

    test('a place in a database that was made again is its beginning', async () => {
      const storage = await open()
      const notes = storage.database<Note>('notes')
      for (const _id of ['a', 'b', 'c']) await notes.insert({ _id })
      const since = await notes.updateSeq()
      await storage.destroy('notes')
      await notes.insert({ _id: 'd' })
      expect((await notes.changes({ since })).results.map(({ id }) => id)).toEqual(['d'])
    })

    test('each write is announced before it is answered', async () => {
      const storage = await open()
      const heard: string[] = []
      storage.signals.subscribe((name) => heard.push(name))
      const before = storage.signals.lastSeq('notes')
      const woken = storage.signals.wait('notes', before, { timeoutMs: 60_000 })
      await storage.database<Note>('notes').insert({ _id: 'a' })
      expect(heard).toEqual(['notes'])
      expect(await woken).toBe(true)
    })

    test('local documents are not replicated, and say when somebody was faster', async () => {
      const notes = (await open()).database<Note>('notes')
      const rev = await notes.writeLocal('checkpoint', { seq: 1 })
      expect(await notes.readLocal('checkpoint')).toMatchObject({ seq: 1, _rev: rev })
      expect(await notes.writeLocal('checkpoint', { seq: 2 })).toBeUndefined()
      expect(await notes.writeLocal('checkpoint', { seq: 2, _rev: rev })).toEqual(
        expect.any(String),
      )
      expect(await notes.readLocal('nothing')).toBeUndefined()
      expect((await notes.changes({})).results).toEqual([])
    })

    test('what a client pushed becomes the parent of what is stored', async () => {
      const notes = (await open()).database<Note>('notes')
      const put = (text: string, ids: string[]) =>
        notes.update(['n'], () => ({
          put: [{ _id: 'n', text }],
          pushed: [{ id: 'n', revisions: { start: ids.length, ids } }],
          result: 0,
        }))
      await put('one', ['aa'])
      const first = await notes.readRevision('n', { revs: true })
      expect(first).toMatchObject({ text: 'one', _revisions: { start: 2 } })
      const missing = await notes.findMissingRevisions({ n: ['1-aa', '9-unknown'], m: ['1-aa'] })
      expect(missing).toMatchObject({ n: { missing: ['9-unknown'] }, m: { missing: ['1-aa'] } })

      await put('two', ['cc', 'bb', 'aa'])
      const leaves = await notes.readOpenRevisions('n', { openRevs: 'all' })
      const open_ = leaves?.filter((leaf) => 'ok' in leaf && !leaf.ok._deleted)
      expect(open_).toHaveLength(1)
      expect(await notes.readRevision('n', {})).toMatchObject({ text: 'two' })
      const changes = await notes.changes({ includeDocs: true, style: 'all_docs' })
      expect(changes.results).toHaveLength(1)
    })

    test('a repeated push changes nothing', async () => {
      const notes = (await open()).database<Note>('notes')
      const push = () =>
        notes.update(['n'], () => ({
          put: [{ _id: 'n', text: 'x' }],
          pushed: [{ id: 'n', revisions: { start: 1, ids: ['aa'] } }],
          result: 0,
        }))
      await push()
      const { last_seq } = await notes.changes({})
      await push()
      expect((await notes.changes({ since: last_seq })).results).toEqual([])
    })

    test('bulkGet answers asked revisions and says which are not there', async () => {
      const notes = (await open()).database<Note>('notes')
      const { revs } = await notes.update(['a'], () => ({ put: [{ _id: 'a' }], result: 0 }))
      const rev = revs.get('a')
      const rows = await notes.bulkGet({
        docs: [
          { id: 'a', rev },
          { id: 'b', rev: '1-x' },
        ],
        revs: true,
      })
      expect(rows[0]?.docs[0]).toMatchObject({ ok: { _id: 'a', _rev: rev } })
      expect(rows[1]?.docs[0]).toHaveProperty('error')
    })

    test('a destroyed database is empty when it is used again', async () => {
      const storage = await open()
      await storage.database<Note>('notes').insert({ _id: 'a' })
      await storage.destroy('notes')
      await storage.destroy('notes')
      expect((await storage.database<Note>('notes').read(['a'])).size).toBe(0)
    })

    test('a database that nobody has written is empty, whatever it is asked', async () => {
      const storage = await open()
      await storage.destroy('notes')
      const notes = storage.database<Note>('notes')
      const { docCount, updateSeq } = await notes.info()
      expect(docCount).toBe(0)
      expect((await notes.changes({ since: updateSeq })).results).toEqual([])
      await storage.destroy('notes')
      expect((await notes.changes({ since: await notes.updateSeq() })).results).toEqual([])
      await storage.destroy('notes')
      expect((await notes.changes({})).results).toEqual([])
      await storage.destroy('notes')
      expect(await notes.range({})).toEqual([])
      expect(await notes.readLocal('nothing')).toBeUndefined()
    })

    test('names that could lead elsewhere are refused', async () => {
      const storage = await open()
      for (const name of ['', '../accounts', 'a/b', 'A', '_users', 'a?b', 'a%2fb', 'é']) {
        expect(() => storage.database(name)).toThrow('cannot name a database')
      }
    })

    test('it is ready, and closed it refuses', async () => {
      const storage = await open()
      await expect(storage.ready()).resolves.toBeUndefined()
      await storage.close()
      await expect(storage.database<Note>('notes').read(['a'])).rejects.toThrow('closed')
    })
  })
}
