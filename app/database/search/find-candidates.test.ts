import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { listLookups, listTerms } from './index-terms.ts'
import { type IndexStore, openIndexStore } from './open-index-store.ts'
import { commitEdits, createEdits } from './search-index.ts'
import { type Candidate, compareNewestFirst, findCandidates } from './search-messages.ts'
import { parseQuery } from './search-query.ts'

const peerId = 'ben'
const lookups = listLookups(parseQuery('hel'))

async function openStore(): Promise<IndexStore> {
  return openIndexStore({ databaseName: 'ann', indexedDB: new IDBFactory(), IDBKeyRange })
}

/** One message per order, in segments of the given length, in the given order. */
async function fill(store: IndexStore, segments: readonly (readonly number[])[]) {
  const edits = createEdits()
  const all: Candidate[] = []
  segments.forEach((orders, segment) => {
    orders.forEach((orderedAt, position) => {
      const _id = `m${segment}-${position}`
      all.push({ _id, orderedAt })
      const place = { _id, segment, position, orderedAt, print: 1 }
      edits.of(segment).put.push({ ...place, peerId, terms: listTerms('hello') })
    })
  })
  const state = await store.state.get('state')
  if (!state) throw new Error('The store has no state.')
  expect(await commitEdits(store, { state, edits: edits.list(), next: {} })).toBe(true)
  return { state, all: all.sort(compareNewestFirst) }
}

async function collect(store: IndexStore, before?: Candidate): Promise<Candidate[]> {
  const found: Candidate[] = []
  for await (const batch of findCandidates(store, { lookups, before })) found.push(...batch)
  return found
}

test('candidates come newest first, in whatever order the segments were filled', async () => {
  const orders = fc.array(fc.nat(30), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(orders, { maxLength: 20 }), fc.nat(), async (segments, pick) => {
      const store = await openStore()
      const { all } = await fill(store, segments)
      expect(await collect(store)).toEqual(all)
      const from = pick % (all.length + 1)
      expect(await collect(store, all[from - 1])).toEqual(all.slice(from))
      store.close()
    }),
    { numRuns: 30 },
  )
})

test('the newest are given out before the older segments are read', async () => {
  const store = await openStore()
  onTestFinished(() => store.close())
  await fill(store, [[1], [2], [3], [4], [5], [6], [7]])
  const batches: number[][] = []
  for await (const batch of findCandidates(store, { lookups })) {
    batches.push(batch.map(({ orderedAt }) => orderedAt))
  }
  expect(batches).toEqual([
    [7, 6, 5, 4],
    [3, 2, 1],
  ])
})

test('a plan that another tab has overtaken writes nothing', async () => {
  const store = await openStore()
  onTestFinished(() => store.close())
  const { state, all } = await fill(store, [[1, 2]])
  const edits = createEdits()
  edits.drop({ _id: 'm0-0', segment: 0, position: 0 })
  expect(await commitEdits(store, { state, edits: edits.list(), next: { scanned: 99 } })).toBe(
    false,
  )
  expect(await collect(store)).toEqual(all)
  expect(await store.state.get('state')).toMatchObject({ scanned: 0 })
})
