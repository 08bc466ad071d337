import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStorage, type Storage } from '../storage.ts'
import { growBranch, listRevs, nameRev, type PushedRevision, revisionsKept } from './grow-branch.ts'

interface Note {
  _id: string
  text: string
}

let storage: Storage
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'petrel-branches-'))
  storage = createStorage({ dataDir, durability: 'relaxed' })
})
afterAll(async () => {
  await storage.close()
  await rm(dataDir, { recursive: true })
})

/**
 * Few letters, so that branches meet and repeat. A revision's name encodes its ancestry, as hashes
 * do.
 */
const letter = fc.constantFrom('a', 'b')
const ids = fc
  .array(letter, { minLength: 1, maxLength: 4 })
  .map((path) => path.map((_, at) => path.slice(at).join('')))
const pushed = fc.record({ ids, isDeleted: fc.boolean() })
const steps = fc.array(
  fc.record({ text: fc.string(), pushes: fc.array(pushed, { maxLength: 2 }) }),
  {
    minLength: 1,
    maxLength: 6,
  },
)

test('P5: whatever branches are pushed, one leaf stays open, and it says what was decided last', async () => {
  const notes = storage.database<Note>('notes')
  let count = 0
  await fc.assert(
    fc.asyncProperty(steps, async (made) => {
      count += 1
      const id = `note${count}`
      for (const { text, pushes } of made) {
        const branches = pushes.map(
          (one): PushedRevision => ({
            id,
            revisions: { start: one.ids.length, ids: one.ids },
            isDeleted: one.isDeleted,
          }),
        )
        await notes.update([id], () => ({ put: [{ _id: id, text }], pushed: branches, result: 0 }))
        const leaves = (await notes.readOpenRevisions(id, { openRevs: 'all' })) ?? []
        const open = leaves.filter((leaf) => 'ok' in leaf && !leaf.ok._deleted)
        expect(open).toHaveLength(1)
        expect((await notes.read([id])).get(id)?.text).toBe(text)
        const asked = { [id]: branches.map(({ revisions }) => nameRev(revisions)) }
        expect(await notes.findMissingRevisions(asked)).toEqual({})
      }
    }),
    { numRuns: 200 },
  )
})

test('P12: of the first path of a document as many revisions are stored as of any other', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `r${at}`)
  const pushed = [{ id: 'new', revisions: { start: 1_000, ids } }]
  const grown = growBranch({ body: { _id: 'new' }, pushed, leaves: [] })
  expect(grown?.docs.map(({ _revisions }) => _revisions)).toEqual([
    { start: 1_001, ids: [expect.any(String), ...ids.slice(0, revisionsKept - 1)] },
  ])
})

test('nothing grows where the tree knows all that was pushed', () => {
  const revisions = { start: 2, ids: ['bb', 'aa'] }
  const leaves = [{ revisions: { start: 3, ids: ['cc', 'bb', 'aa'] }, isDeleted: false }]
  expect(
    growBranch({ body: { _id: 'n' }, pushed: [{ id: 'n', revisions }], leaves }),
  ).toBeUndefined()
})

test('a hash that stands in another generation is dropped: its ancestry would be read wrongly', () => {
  const leaves = [{ revisions: { start: 4, ids: ['dd', 'cc', 'bb'] }, isDeleted: false }]
  const lower = { id: 'n', revisions: { start: 2, ids: ['cc', 'bb'] } }
  expect(growBranch({ body: { _id: 'n' }, pushed: [lower], leaves })).toBeUndefined()

  const upper = { id: 'n', revisions: { start: 3, ids: ['cc', 'bb'] } }
  const grown = growBranch({ body: { _id: 'n' }, pushed: [lower, upper], leaves: [] })
  expect(grown?.docs.map(({ _revisions }) => _revisions?.ids)).toEqual([
    [expect.any(String), 'cc', 'bb'],
  ])
  expect(grown?.rev).toMatch(/^3-/)
})

test('revisions are named by generation and hash, newest first', () => {
  expect(listRevs({ start: 3, ids: ['c', 'b', 'a'] })).toEqual(['3-c', '2-b', '1-a'])
})
