import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createPushSources, explainLeft } from './replication.ts'
import type { ServerDocument } from './server-versions.ts'
import { answerJson, answerRows, openTestCalls } from './testing/open-test-calls.ts'

/** A server with one database, which records what is pushed to it. */
async function openSource(isMember = true) {
  const pushed: string[] = []
  const source = await openTestCalls(
    async (request, response) => {
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      if (!isMember) {
        response.writeHead(404, { 'content-type': 'application/json' })
        response.end('{"error":"not_found"}')
        return
      }
      pushed.push(...docs.map(({ _id }) => _id))
      answerRows(response, docs)
    },
    { explainClosed: explainLeft },
  )
  return { ...source, pushed }
}

const groupOf = ({ peerId }: ServerDocument) =>
  typeof peerId === 'string' && peerId !== 'ben' ? peerId : undefined

test('what is pushed goes to the database where it belongs, and is noted as pushed by all of it', async () => {
  const [own, walks, choir] = [await openSource(), await openSource(), await openSource()]
  const { push } = createPushSources({
    groupOf,
    open: (groupId) => (groupId === 'walks' ? walks : groupId === 'choir' ? choir : own),
  })
  const found = await push([
    { _id: '1', peerId: 'walks' },
    { _id: '2', peerId: 'ben' },
    { _id: '3', peerId: 'choir' },
    { _id: '4', peerId: 'walks' },
  ])
  expect(found).toEqual([])
  expect(own.pushed).toEqual(['2'])
  expect(walks.pushed).toEqual(['1', '4'])
  expect(choir.pushed).toEqual(['3'])
})

test('P14: a group that this person was removed from keeps its words aside with the reason, and holds up nothing', async () => {
  const [own, walks] = [await openSource(), await openSource(false)]
  const { push, isRunning } = createPushSources({
    groupOf,
    open: (groupId) => (groupId === undefined ? own : walks),
  })
  await push([
    { _id: '1', peerId: 'walks' },
    { _id: '2', peerId: 'ben' },
    { _id: '3', peerId: 'walks' },
  ])
  expect(own.pushed).toEqual(['2'])
  expect(walks.setAside.isWaiting('1') && walks.setAside.isWaiting('3')).toBe(true)
  expect(own.setAside.has('2')).toBe(false)
  // No push without documents asks again and again whether others pass.
  expect(walks.asked).toEqual(['POST _bulk_docs'])
  expect(isRunning('1')).toBe(false)
})

test('P6 P14: what a group refuses for good comes back with the reason, and is not offered again', async () => {
  const refused: unknown[] = []
  const words = 'You are no longer in this group.'
  const walks = await openTestCalls(
    async (request, response) => {
      if (request.url?.includes('_all_docs')) return answerJson(response, { rows: [] })
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      const refusal = { error: 'forbidden', code: 'left_group', reason: words }
      answerJson(
        response,
        docs.map(({ _id: id }) => (id === '2' ? { id, ok: true } : { id, ...refusal })),
      )
    },
    {
      refusals: {
        isFinal: ({ code }) => code === 'left_group',
        findLast: () => undefined,
        take: async (offered, { code, words }, isStored) => {
          refused.push({ offered: JSON.parse(offered), code, words, isStored })
        },
      },
    },
  )
  await walks.push([{ _id: '1' }, { _id: '2' }])
  expect(refused).toEqual([{ offered: { _id: '1' }, code: 'left_group', words, isStored: false }])
  expect(walks.setAside.has('1')).toBe(false)
  expect(walks.asked).toEqual(['POST _bulk_docs', 'POST _all_docs?include_docs=true'])
})

test('P14: a group that is over once it has refused words ends the push, with the reason', async () => {
  const refused: unknown[] = []
  let isOver = false
  const walks = await openTestCalls(
    async (request, response) => {
      if (isOver) {
        response.writeHead(404, { 'content-type': 'application/json' })
        return void response.end('{"error":"not_found"}')
      }
      isOver = true
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      const rows = docs.map(({ _id: id }) =>
        id === '1' ? { id, error: 'forbidden', code: 'left_group' } : { id, error: 'conflict' },
      )
      answerJson(response, rows)
    },
    {
      explainClosed: explainLeft,
      refusals: {
        isFinal: ({ code }) => code !== undefined,
        findLast: () => undefined,
        take: async (offered, { code }, isStored) => {
          refused.push({ id: JSON.parse(offered)._id, code, isStored })
        },
      },
    },
  )
  expect(await walks.push([{ _id: '1' }, { _id: '2' }])).toEqual([])
  expect(refused).toEqual([
    { id: '1', code: 'group_not_found', isStored: false },
    { id: '2', code: 'group_not_found', isStored: false },
  ])
  expect(walks.asked).toEqual([
    'POST _bulk_docs',
    'POST _all_docs?include_docs=true',
    'POST _bulk_docs',
  ])
})

test.each([201, 404])(
  'P6 P11: words that a group refuses for good (%i) stay owed until the device has stored that',
  async (status) => {
    const [taking, stored] = [createDeferred(), createDeferred()]
    const walks = await openTestCalls(
      async (request, response) => {
        if (request.url?.includes('_all_docs')) return answerJson(response, { rows: [] })
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end('[{"id":"1","error":"forbidden","code":"group_left"}]')
      },
      {
        explainClosed: explainLeft,
        refusals: {
          isFinal: () => true,
          findLast: () => undefined,
          async take() {
            taking.resolve()
            await stored.promise
          },
        },
      },
    )
    const told: string[] = []
    const pushing = walks.push([{ _id: '1' }]).then(() => told.push('pushed'))
    await taking.promise
    // What would end now has ended by then.
    await new Promise((resolve) => setImmediate(resolve))
    told.push('stored')
    stored.resolve()
    await pushing
    expect(told).toEqual(['stored', 'pushed'])
  },
)

test('what replaces a document while its push waits leaves in its place, to the same database', async () => {
  const [begun, replaced] = [createDeferred(), createDeferred()]
  const texts: string[] = []
  const walks = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as { docs: { _id: string; text: string }[] }
    if (texts.push(...docs.map(({ text }) => text)) > 1) return answerRows(response, docs)
    begun.resolve()
    await replaced.promise
    response.writeHead(503).end()
  })
  const own = await openTestCalls(() => {})
  const { push, replace, isRunning } = createPushSources({
    groupOf,
    open: (groupId) => (groupId === undefined ? own : walks),
  })
  const pushing = push([{ _id: '1', peerId: 'walks', text: 'before' }])
  await begun.promise
  expect(isRunning('1')).toBe(true)
  replace({ _id: '1', peerId: 'walks', text: 'after' })
  replaced.resolve()
  await pushing
  expect(texts).toEqual(['before', 'after'])
  expect(own.asked).toEqual([])
})
