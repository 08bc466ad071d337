import { Agent } from 'node:http'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { hostileParts, spoiled } from './hostile.contract.ts'
import { asBytes } from './hostile-cases.contract.ts'
import { openVictims } from './testing/open-victims.ts'
import { sendRawRequest } from './testing/send-raw-request.ts'

const victims = await openVictims()
const { chat, ann, known } = victims
const before = await victims.describe()
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
afterAll(async () => {
  agent.destroy()
  await chat.close()
})

describe('/sync', () => {
  const databases = fc.constantFrom(
    'messages',
    'conversations',
    `messages-${ann.userId}`,
    'accounts',
  )
  const addresses = fc.oneof(
    fc.constantFrom('', '/', '/_changes', '/_all_docs', '/_bulk_docs', '/_bulk_get', '/_revs_diff'),
    fc.constantFrom(
      '/_design/x',
      '/_local/x',
      '/_security',
      '/_find',
      '/_purge',
      '/_compact',
      '/_temp_view',
    ),
    fc.oneof(hostileParts, fc.constantFrom(...known.ids)).map((part) => `/${part}`),
    fc.oneof(hostileParts, fc.constantFrom(...known.ids)).map((part) => `/${part}/x`),
  )
  const documents = fc.record(
    {
      _id: fc.constantFrom(...known.ids),
      _rev: fc.constantFrom('1-x', '1-abc', 'x', '999999999-a'),
      peerId: fc.constantFrom(...known.ids),
      senderId: fc.constantFrom(...known.ids),
      recipientId: fc.constantFrom(...known.ids),
      content: fc.string(),
      createdAt: fc.nat(),
      orderedAt: fc.nat(),
      readUpTo: fc.nat(),
    },
    { requiredKeys: [] },
  )
  const bodies = fc.oneof(
    spoiled(fc.record({ docs: fc.array(documents, { maxLength: 3 }), new_edits: fc.boolean() })),
    spoiled(fc.record({ keys: fc.array(fc.constantFrom(...known.ids), { maxLength: 3 }) })),
    spoiled(fc.dictionary(fc.constantFrom(...known.ids), fc.array(fc.string(), { maxLength: 2 }))),
    spoiled(documents),
  )
  const queries = fc.constantFrom(
    ...['', '?since=x', '?since=-1', '?limit=-1', '?limit=1e9', '?since[$gt]=0', '?feed=nonsense'],
    ...['?include_docs=x', '?filter=_view', '?startkey=%7B', '?keys=[', '?rev=x', '?open_revs=['],
    ...[
      '?attachments=true',
      '?conflicts=true',
      '?feed=normal&since=99999',
      '?since=%00',
      '?style=',
    ],
  )

  it('answers whatever comes in CouchDB’s words, and never fails', async () => {
    const cases = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'COPY', 'OPTIONS'),
      database: databases,
      address: addresses,
      query: queries,
      body: bodies,
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ method, database, address, query, body }) => {
        const request = {
          method,
          path: `/sync/${database}${address}${query}`,
          headers: {
            authorization: `Bearer ${victims.mallory.token}`,
            'content-type': 'application/json',
          },
          ...(method === 'POST' || method === 'PUT'
            ? { body: asBytes(JSON.stringify(body) ?? '') }
            : {}),
        }
        const answer = await sendRawRequest(chat.app.port, request, agent)
        const shown = `${method} ${request.path} ${request.body?.slice(0, 200)}: ${answer.text}`
        expect(answer.status, shown).toBeLessThan(500)
        if (answer.status >= 400 && method !== 'HEAD') {
          expect(JSON.parse(answer.text), shown).toMatchObject({ error: expect.any(String) })
        }
      }),
      { seed: 20_261_121, numRuns: 600, endOnFailure: true },
    )
  })

  it('P8: lets nobody change what is Ann’s and Ben’s', async () => {
    expect(await victims.describe()).toEqual(before)
    expect((await chat.app.call('GET', '/readyz')).status).toBe(200)
  })
})
