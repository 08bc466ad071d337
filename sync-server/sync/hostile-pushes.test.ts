import fc from 'fast-check'
import { v7 as createId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conversationFields } from '../../schema/conversation.ts'
import { idPattern } from '../../schema/id.ts'
import { messageFields } from '../../schema/message.ts'
import { budgetLimits } from '../budget/budget-limits.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let t: TestSync
beforeAll(async () => {
  t = await startTestSync()
})
afterAll(() => t.close())

const id = fc.uuid().map((text) => text.toLowerCase())
const ids = fc.oneof(id, fc.constantFrom('ann', 'ben'), fc.jsonValue())
const special = ['_deleted', '_rev', '_attachments', '_revisions', '__proto__', 'constructor', '_x']

/** Documents with some valid fields of ours, and anything in the others. */
function likeA(fields: readonly string[]) {
  const field = fc.constantFrom(...fields, ...special)
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('ann', 'ben', true, 1, -1, 1e300, 'read'))
  return fc.tuple(ids, fc.dictionary(field, value, { maxKeys: 8 }))
}

/** Inserts people's ids into the generated document. */
function name(text: string): string {
  return text.replaceAll('"ann"', `"${t.ann}"`).replaceAll('"ben"', `"${t.ben}"`)
}

test.each([
  ['messages', messageFields],
  ['conversations', conversationFields],
])(
  'P6: whatever is pushed to %s is answered row by row, and never as our own fault',
  async (database, fields) => {
    const push = fc.tuple(
      fc.array(fc.oneof(likeA(fields), fc.jsonValue()), { maxLength: 5 }),
      fc.boolean(),
    )
    await fc.assert(
      fc.asyncProperty(push, async ([made, isReplicated]) => {
        const docs = made.map((doc) =>
          Array.isArray(doc) ? { _id: doc[0], ...(doc[1] as object) } : doc,
        )
        const text = name(JSON.stringify({ docs, ...(isReplicated ? { new_edits: false } : {}) }))
        const answer = await t.call('POST', `${database}/_bulk_docs`, { text })
        expect(answer.status, answer.text).toBe(201)
        if (!isReplicated) expect(answer.body).toHaveLength(docs.length)
        for (const row of answer.body) {
          expect(row.ok === true || ['conflict', 'forbidden'].includes(row.error)).toBe(true)
          if (row.ok) expect(row.id).toMatch(idPattern)
        }
        expect(t.errors).toEqual([])
      }),
      { numRuns: 150 },
    )
    const feed = await t.call('GET', `${database}/_changes?include_docs=true`)
    expect(feed.body.results.length).toBeGreaterThan(0)
  },
  60_000,
)

test('whatever is asked for is answered, and never as our own fault', async () => {
  const path = fc.constantFrom(
    ...['_changes', '_all_docs', '_bulk_get', '_revs_diff', '_local/x', '_design/x', 'x', ''],
  )
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE')
  const name = fc.constantFrom(
    ...[
      'since',
      'limit',
      'keys',
      'key',
      'startkey',
      'endkey',
      'skip',
      'descending',
      'doc_ids',
      'docs',
    ],
    ...['filter', 'heartbeat', 'timeout', 'style', 'open_revs', 'rev', 'revs', 'include_docs'],
  )
  const values = fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.string()), { maxKeys: 4 })
  await fc.assert(
    fc.asyncProperty(method, path, values, async (verb, call, asked) => {
      const query = new URLSearchParams(
        Object.entries(asked).map(([key, value]) => [
          key,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      )
      const hasBody = verb === 'POST' || verb === 'PUT'
      const answer = await t.call(verb, `messages/${call}?${hasBody ? '' : query}`, {
        ...(hasBody ? { body: asked } : {}),
      })
      expect(answer.status, answer.text).toBeLessThan(500)
      expect(t.errors).toEqual([])
    }),
    { numRuns: 400 },
  )
})

test('P12: a document of more values than any has is refused by itself, and a body of them as a whole', async () => {
  const { ann, ben } = t
  const times = { createdAt: 1, orderedAt: 1, attempt: 1, status: 'sending', statusHistory: [] }
  const message = (_id: string, more: object) => ({
    ...{ _id, peerId: ben, senderId: ann, recipientId: ben, type: 'text', content: 'short' },
    ...times,
    ...more,
  })
  const [large, small] = [createId(), createId()]
  const template = Array.from({ length: 6_000 }, () => ({}))
  const docs = [message(large, { template }), message(small, {})]
  const answer = await t.push(...docs)
  expect(answer.body).toEqual([
    { id: large, error: 'forbidden', reason: 'A document has at most 5000 values.' },
    expect.objectContaining({ id: small }),
  ])
  const text = `{"docs":[${'0,'.repeat(budgetLimits.syncBodyMaxValues)}0]}`
  const refused = await t.call('POST', 'messages/_bulk_docs', { text })
  expect([refused.status, refused.body.error]).toEqual([413, 'too_large'])
})
