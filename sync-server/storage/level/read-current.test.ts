import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDocuments } from '../documents/read-documents.ts'
import type { OpenDatabase } from './level-database.ts'
import { openLevelStore } from './level-store.ts'
import { createOpenDatabases } from './open-databases.ts'
import { bySequence, documentStore } from './pouch-keys.ts'
import { rangeOf } from './prefixed-leveldown.ts'
import { readCurrent } from './read-current.ts'

const name = 'notes'
const [first, left, right] = ['a', 'b', 'c'].map((letter) => letter.repeat(32))

async function openNotes() {
  const location = await mkdtemp(join(tmpdir(), 'petrel-current-'))
  const store = await openLevelStore({ location, isSynced: false })
  const databases = createOpenDatabases({ store, idleCloseMs: 60_000 })
  onTestFinished(async () => {
    await databases.close()
    await store.close()
    await rm(location, { recursive: true })
  })
  const key = (own: string) => rangeOf(name).gte + own
  return {
    store,
    key,
    use: <T>(work: (notes: OpenDatabase) => Promise<T>) => databases.use(name, work),
  }
}

/** Documents of every kind that PouchDB knows. @returns all their ids, and one that does not exist */
async function fill(database: OpenDatabase): Promise<Set<string>> {
  const pouch = await database.pouch()
  const write = (_id: string, ids: (string | undefined)[], body: object = {}) => ({
    _id,
    text: `${_id} ${ids.length}`,
    ...body,
    _revisions: { start: ids.length, ids: ids.map(String) },
  })
  const docs = [
    write('plain', [first]),
    write('changed', [first]),
    write('changed', [left, first]),
    write('torn', [left, first]),
    write('torn', [right, first]),
    write('deleted', [left, first], { _deleted: true }),
    write('deleted on one branch', [right, first], { _deleted: true }),
    write('deleted on one branch', [left, first]),
    write('back again', [left, first], { _deleted: true }),
    write('back again', [right, left, first]),
    write('words \u{1f426} é', [first], { deep: { list: [1, null, { a: 'ö' }] } }),
  ]
  for (const doc of docs) await pouch.bulkDocs([doc], { new_edits: false })
  await pouch.putAttachment('with a file', 'photo', Buffer.from('bytes'), 'image/png')
  return new Set([...docs.map(({ _id }) => _id), 'with a file', 'missing', '_design/none'])
}

test('finds the same documents as PouchDB, whatever their revisions', async () => {
  const { use } = await openNotes()
  await use(async (notes) => {
    const ids = await fill(notes)
    const found = await readCurrent(notes, ids)
    expect(found).toEqual(await readDocuments(await notes.pouch(), ids))
    expect([...found.keys()].sort()).toEqual(
      [...ids].filter((id) => !['deleted', 'missing', '_design/none'].includes(id)).sort(),
    )
  })
})

test('finds more documents than one read takes', async () => {
  const { use } = await openNotes()
  await use(async (notes) => {
    const ids = Array.from({ length: 150 }, (_, index) => `note ${index}`)
    await (await notes.pouch()).bulkDocs(ids.map((_id) => ({ _id, text: _id })))
    const found = await readCurrent(notes, new Set(ids))
    expect([...found.keys()]).toEqual(ids)
  })
})

test('leaves to PouchDB what a write has just replaced, and refuses what is damaged', async () => {
  const { store, key, use } = await openNotes()
  await use(async (notes) => {
    const ids = await fill(notes)
    const expected = await readDocuments(await notes.pouch(), ids)
    const level = await store.read()
    const metadata = String(await level.get(key(`${documentStore}changed`)))
    const { rev_map, winningRev } = JSON.parse(metadata)
    const seqOf = (rev: string) => `${bySequence}${String(rev_map[rev]).padStart(16, '0')}`
    // The version that the metadata named is gone, as between the two reads of a slow reader.
    const slow = {
      ...notes,
      view: {
        ...notes.view,
        read: async (own: string) =>
          own === seqOf(winningRev) ? undefined : await notes.view.read(own),
      },
    }
    expect(await readCurrent(slow, ids)).toEqual(expected)

    await store.write([{ type: 'put', key: key(`${documentStore}broken`), value: '{"id":"br' }])
    const broken = readCurrent(notes, new Set([...ids, 'broken']))
    await expect(broken).rejects.toThrow('a stored document is damaged')
  })
})
