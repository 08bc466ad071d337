import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let t: TestSync
beforeAll(async () => {
  t = await startTestSync()
})
afterAll(() => t.close())

/** Few letters, so that one name occurs in several places of a tree, unlike with honest clients. */
const letters = fc.constantFrom<string>('a', 'b', 'c', 'd')
const push = fc.record({
  docs: fc.array(
    fc.record({
      ids: fc.uniqueArray(letters, { minLength: 1, maxLength: 3 }),
      isCutOff: fc.boolean(),
      isDeleted: fc.boolean(),
      content: fc.constantFrom<string>('x', 'y'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  isReplicated: fc.boolean(),
})

function write(_id: string, { docs, isReplicated }: Push) {
  return docs.map(({ ids, isCutOff, isDeleted, content }) => {
    const start = ids.length + Number(isCutOff)
    const said = { senderId: t.ann, recipientId: t.ben, peerId: t.ben, createdAt: 1, orderedAt: 1 }
    return {
      _id,
      ...(isDeleted ? { _deleted: true } : { ...said, content, editedAt: 5 }),
      ...(isReplicated && { _rev: `${start}-${ids[0]}`, _revisions: { start, ids } }),
    }
  })
}

type Push = typeof push extends fc.Arbitrary<infer Value> ? Value : never

/** One path of a push: `3-c/a` is revision 3-c whose parent is 2-a. */
function path(text: string, isDeleted = false) {
  const [start = '', ...ids] = text.split(/[-/]/)
  return { ids, isCutOff: Number(start) > ids.length, isDeleted, content: 'x' }
}

/** The hash of one revision in two generations, then a path that joins at the one read wrongly. */
const hashTwice: Push[] = [
  { docs: [path('3-c/a')], isReplicated: true },
  { docs: [path('2-c/a', true), path('1-a')], isReplicated: true },
  { docs: [path('2-c/d'), path('1-a')], isReplicated: true },
  { docs: [path('3-a/c'), path('1-a')], isReplicated: true },
  { docs: [path('1-c')], isReplicated: true },
  { docs: [path('1-a')], isReplicated: false },
]

test('P6 P12: whatever tree is pushed, its document can be read and written, and the feed goes on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(push, { minLength: 1, maxLength: 12 }), async (pushes) => {
      const _id = uuidv7()
      for (const each of pushes) {
        const body = { docs: write(_id, each), ...(each.isReplicated && { new_edits: false }) }
        const answer = await t.call('POST', 'messages/_bulk_docs', { body })
        expect(answer.status, answer.text).toBe(201)
      }
      const [read, listed, leaves] = await Promise.all([
        t.call('GET', `messages/${_id}?revs=true`),
        t.call('POST', 'messages/_all_docs', { body: { keys: [_id] } }),
        t.call('GET', `messages/${_id}?open_revs=all`),
      ])
      const isThere = !listed.body.rows[0].error
      expect(read.status).toBe(isThere ? 200 : 404)
      expect(leaves.status).toBe(isThere ? 200 : 404)
      const since = (await t.call('GET', 'messages/_changes?descending=true&limit=1')).body.last_seq
      await t.call('GET', `messages/_changes?since=${since - 20}&include_docs=true`)
    }),
    { numRuns: 60, examples: [[hashTwice]] },
  )
  const all = await t.call('GET', 'messages/_changes?include_docs=true&style=all_docs')
  expect(all.status).toBe(200)
  expect(t.errors).toEqual([])
})

test('P12: a push of three hundred branches of one document is one round of work', async () => {
  const _id = uuidv7()
  const docs = Array.from({ length: 300 }, (_, index) => {
    const said = { senderId: t.ann, recipientId: t.ben, peerId: t.ben, createdAt: 1, orderedAt: 1 }
    return { _id, ...said, content: `branch ${index}`, _rev: `1-${index.toString(16)}` }
  })
  const before = t.storage.stats().keysWritten
  const body = { docs, new_edits: false }
  const pushed = await t.call('POST', 'messages/_bulk_docs', { body })
  expect(pushed.status).toBe(201)
  expect(pushed.body).toHaveLength(200)
  expect(pushed.body[0]).toEqual({
    id: _id,
    error: 'forbidden',
    reason: 'At most 100 revisions of one document can be pushed at once.',
  })
  // Two keys for each kept branch, a few for the message: not some for each of 300 rounds.
  expect(t.storage.stats().keysWritten - before).toBeLessThan(300)
  const leaves = await t.call('GET', `messages/${_id}?open_revs=all`)
  expect(leaves.body.length).toBeLessThanOrEqual(101)
  expect((await t.call('GET', `messages/${_id}`)).body).toMatchObject({ status: 'sent' })
})
