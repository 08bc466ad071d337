import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { revisionsKept } from '../documents/grow-branch.ts'
import type { PouchWrite } from '../documents/pouch.ts'
import type { OpenDatabase } from './level-database.ts'
import { openLevelStore } from './level-store.ts'
import { writeBatch } from './level-writer.ts'
import { createOpenDatabases } from './open-databases.ts'
import { type PlainEdit, planPlainEdit } from './plain-edits.ts'
import { documentStore } from './pouch-keys.ts'
import { rangeOf } from './prefixed-leveldown.ts'
import { readCurrent } from './read-current.ts'

async function openStore() {
  const location = await mkdtemp(join(tmpdir(), 'petrel-plain-'))
  const store = await openLevelStore({ location, isSynced: false })
  const databases = createOpenDatabases({ store, idleCloseMs: 60_000 })
  onTestFinished(async () => {
    await databases.close()
    await store.close()
    await rm(location, { recursive: true })
  })
  /** Every key of a database and what it holds, but for what PouchDB keeps of its own input. */
  async function dump(name: string) {
    const level = await store.read()
    const entries = await level.iterator(rangeOf(name)).all()
    return entries.flatMap(([key, value]) => {
      const own = key.slice(rangeOf(name).gte.length)
      if (own.includes('_local_uuid')) return []
      const { revisions, ...rest } = Object(JSON.parse(String(value)))
      return [[own, own.startsWith(documentStore) ? rest : JSON.parse(String(value))]]
    })
  }
  return { databases, dump }
}

const idOf = (index: number) => `note ${index}`
const hashOf = (index: number) => index.toString(16).padStart(32, '0')

/** A named edit of each of these documents, following what is stored. */
async function nameEdits(database: OpenDatabase, ids: readonly string[], hash: string) {
  const stored = await readCurrent(database, new Set(ids))
  return ids.map((_id) => {
    const [start = '0', before] = stored.get(_id)?._rev.split('-') ?? []
    const revisions = { start: Number(start) + 1, ids: [hash, ...(before ? [before] : [])] }
    const body = { _id, text: `words \u{1f426} ${hash}`, deep: { list: [1, null] } }
    const edit = { ...body, _rev: `${revisions.start}-${hash}`, _revisions: revisions }
    return { edit, stored: stored.get(_id) }
  })
}

async function plan(database: OpenDatabase, ids: readonly string[], hash: string) {
  const named = await nameEdits(database, ids, hash)
  const plans: (PlainEdit | undefined)[] = []
  for (const { edit, stored } of named) {
    const text = await database.view.read(documentStore + edit._id)
    const metadata = text === undefined ? undefined : JSON.parse(text)
    plans.push(planPlainEdit({ edit, stored, metadata, revsLimit: revisionsKept }))
  }
  return { docs: named.map(({ edit }) => edit satisfies PouchWrite), plans }
}

test('writes the keys that PouchDB would, whatever is edited and however often', async () => {
  const { databases, dump } = await openStore()
  const state = { runs: 0, hashes: 0 }
  const groups = fc.array(fc.uniqueArray(fc.nat(3), { minLength: 1 }), { minLength: 1 })
  const anyGroups = fc.oneof(groups, fc.constant(Array.from({ length: 50 }, () => [0])))
  await fc.assert(
    fc.asyncProperty(anyGroups, fc.func(fc.boolean()), async (edited, isByPouch) => {
      state.runs += 1
      const [ours, theirs] = [`ours-${state.runs}`, `theirs-${state.runs}`]
      await databases.openAll([ours, theirs], async (opened) => {
        const own = opened.get(ours) as OpenDatabase
        const other = opened.get(theirs) as OpenDatabase
        for (const [index, group] of edited.entries()) {
          state.hashes += 1
          const { docs, plans } = await plan(own, group.map(idOf), hashOf(state.hashes))
          const plain = plans.filter((one) => one !== undefined)
          expect(plain).toHaveLength(group.length)
          // PouchDB goes on with what was written beside it, and the other way round.
          const batch = isByPouch(index) ? { docs: structuredClone(docs) } : { plain }
          await writeBatch({ database: own, ...batch })
          await writeBatch({ database: other, docs })
          expect(own.counters).toEqual(other.counters)
          expect(await (await own.pouch()).info()).toEqual({
            ...(await (await other.pouch()).info()),
            db_name: ours,
          })
        }
      })
      expect(await dump(ours)).toEqual(await dump(theirs))
    }),
    { numRuns: 40 },
  )
})

test('leaves to PouchDB what is not one line of revisions with one body', async () => {
  const { databases } = await openStore()
  await databases.use('notes', async (notes) => {
    const [first, left, right] = [hashOf(1), hashOf(2), hashOf(3)]
    const write = async (_id: string, ids: (string | undefined)[], body: object = {}) => {
      const _revisions = { start: ids.length, ids: ids.map(String) }
      await (await notes.pouch()).bulkDocs([{ _id, ...body, _revisions }], { new_edits: false })
    }
    await write('one line', [left, first])
    await write('deleted', [left, first], { _deleted: true })
    for (const hash of [left, right]) await write('torn', [hash, first])
    await write('two beginnings', [first])
    await write('two beginnings', [right])
    await (await notes.pouch()).putAttachment(
      'with a file',
      'photo',
      Buffer.from('bytes'),
      'image/png',
    )
    const ids = ['one line', 'new', 'deleted', 'torn', 'two beginnings', 'with a file']
    const { plans } = await plan(notes, ids, hashOf(4))
    const found = plans.flatMap((one, index) => (one ? [ids[index]] : []))
    expect(found).toEqual(['one line', 'new'])
  })
})

test.each([
  ['a deletion', { _deleted: true }],
  ['an attachment', { _attachments: {} }],
  ['a field that PouchDB refuses', { _unknown: 1 }],
  ['an id of PouchDB itself', { _id: '_design/one' }],
  ['an empty id', { _id: '' }],
])('leaves %s to PouchDB', (_what, fields) => {
  const edit = { _id: 'a', _rev: `1-${hashOf(1)}`, ...fields }
  const given = { stored: undefined, metadata: undefined, revsLimit: revisionsKept }
  expect(planPlainEdit({ edit, ...given })).toBeUndefined()
  expect(planPlainEdit({ edit: { _id: 'a', _rev: edit._rev }, ...given })).toBeDefined()
})
