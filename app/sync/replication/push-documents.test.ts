import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createServerVersions } from './server-versions.ts'
import type { SetAsideTold } from './set-aside.ts'
import { answerJson, answerRows, openTestCalls } from './testing/open-test-calls.ts'

interface Pushed {
  docs: { _id: string }[]
  keys: string[]
}

test('nothing is looked up before a push; what the server holds instead is read with ids in a body', async () => {
  const { push, asked } = await openTestCalls(async (request, response) => {
    const { docs, keys } = (await json(request)) as Pushed
    const rows = keys?.map((id) => ({ id, doc: { _id: id, _rev: '2-b', content: 'stored' } }))
    if (keys) return answerJson(response, { rows })
    answerJson(
      response,
      docs.map(({ _id: id }) => (id === 'a' ? { id, ok: true } : { id, error: 'conflict' })),
    )
  })
  expect(await push([{ _id: 'a' }, { _id: 'b' }])).toEqual([
    { _id: 'b', content: 'stored', _deleted: false },
  ])
  expect(asked).toEqual(['POST _bulk_docs', 'POST _all_docs?include_docs=true'])
})

const storageFull = { error: 'forbidden', code: 'storage_full', reason: 'Your storage is full.' }

test('P6: what the server cannot take now is offered again later, and the others are not', async () => {
  const offered: string[][] = []
  const { push, setAside } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as Pushed
    offered.push(docs.map(({ _id }) => _id))
    const isLater = offered.length > 1
    answerJson(
      response,
      docs.map(({ _id: id }) =>
        id === 'a' || isLater ? { id, ok: true } : { id, ...storageFull },
      ),
    )
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await push([{ _id: 'a' }, { _id: 'b' }])).toEqual([])
  expect(['a', 'b'].filter(setAside.has)).toEqual(['b'])
  await push([{ _id: 'b' }])
  expect(offered).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(setAside.isWaiting('b')).toBe(false)
  await push([{ _id: 'b' }])
  expect(offered).toEqual([['a', 'b'], ['b']])
  expect(setAside.has('b')).toBe(false)
})

test('P6: a document that the server always refuses holds up no other push, and keeps its reason', async () => {
  const offered: string[] = []
  const told: SetAsideTold[] = []
  const { push, setAside } = await openTestCalls(
    async (request, response) => {
      const { docs } = (await json(request)) as Pushed
      offered.push(...docs.map(({ _id }) => _id))
      answerJson(
        response,
        docs.map(({ _id: id }) => {
          if (id === 'b') return { id, ...storageFull }
          return id === 'c' ? { id, error: 'forbidden', reason: '5000 values' } : { id, ok: true }
        }),
      )
    },
    { onSetAside: (all) => told.push(all) },
  )
  await push([{ _id: 'a' }, { _id: 'b' }])
  expect(told.at(-1)).toMatchObject({ count: 1, status: 403, words: storageFull.reason })
  await push([{ _id: 'c' }, { _id: 'd' }])
  // A reason without a code is for a program.
  expect(told.at(-1)).toMatchObject({ count: 2, words: expect.stringMatching(/^The server can't/) })
  expect(offered).toEqual(['a', 'b', 'c', 'd'])
  expect(['a', 'b', 'c', 'd'].filter(setAside.has)).toEqual(['b', 'c'])
})

test('P6: what is withdrawn while its refusal is on the way is offered at once', async () => {
  const offered: unknown[] = []
  const { push, replace } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as { docs: { _id: string; content: string }[] }
    offered.push(...docs.map(({ content }) => content))
    const isFirst = offered.length === 1
    if (isFirst) replace({ _id: 'b', content: 'withdrawn' })
    answerJson(
      response,
      docs.map(({ _id: id }) => (isFirst ? { id, ...storageFull } : { id, ok: true })),
    )
  })
  await push([{ _id: 'b', content: 'a regret' }])
  await push([{ _id: 'b', content: 'withdrawn' }])
  expect(offered).toEqual(['a regret', 'withdrawn'])
})

test('P12: of what is offered again, only what the server lacks leaves the device, once all is known', async () => {
  const versions = createServerVersions()
  const bodies: unknown[] = []
  const { push, pull, asked } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET') {
        const held = { _id: 'held', content: 'the same', _rev: '1-a' }
        const old = { _id: 'old', content: 'before', _rev: '1-b' }
        const results = [held, old].map((doc, seq) => ({ id: doc._id, seq, doc }))
        return answerJson(response, { results, last_seq: 2 })
      }
      const { docs } = (await json(request)) as Pushed
      bodies.push(...docs)
      answerRows(response, docs)
    },
    { versions },
  )
  const docs = [
    { _id: 'old', content: 'after', _deleted: false },
    { content: 'the same', _id: 'held', _deleted: false },
    { _id: 'lost', content: 'only here', _deleted: false },
  ]
  const pushed = push(docs)
  await pull(0)
  expect(await pushed).toEqual([])
  expect(bodies).toEqual([docs[0], docs[2]])
  expect(asked.map((line) => line.split(' ')[0])).toEqual(['GET', 'POST'])
  // A further change here changes it for the server too.
  await push([{ _id: 'held', content: 'the same', _deleted: false }])
  expect(bodies).toHaveLength(3)
})

/**
 * The device offers everything again to a server that holds one document, and the line brings a
 * newer version.
 */
async function openNewer() {
  const answering = createDeferred()
  const news = createDeferred()
  const bodies: unknown[] = []
  const calls = await openTestCalls(
    async (request, response) => {
      const held = { _id: 'held', content: 'before', _rev: '1-a' }
      if (request.method === 'GET')
        return answerJson(response, { results: [{ id: 'held', seq: 1, doc: held }], last_seq: 1 })
      const { docs } = (await json(request)) as Pushed
      bodies.push(...docs)
      await answering.promise
      answerRows(response, docs)
    },
    {
      versions: createServerVersions(),
      feed: {
        isOpen: () => true,
        async next({ since, signal }) {
          if (since !== '1')
            await new Promise((_, reject) => signal.addEventListener('abort', reject))
          await news.promise
          const doc = { _id: 'held', content: 'after', _rev: '2-a' }
          return { results: [{ seq: 2, doc }], last_seq: 2 }
        },
      },
    },
  )
  const given: unknown[] = []
  calls.pulling.stream$.subscribe(({ documents }) =>
    given.push(...documents.map(({ content }) => content)),
  )
  calls.pulling.run().catch(() => {})
  await calls.pull(0)
  const held = { _id: 'held', content: 'before', _deleted: false }
  return { ...calls, bodies, given, held, answer: answering.resolve, tell: news.resolve }
}

test('P12: what the line has brought is what the server holds, and what was before is offered', async () => {
  const { push, bodies, given, held, answer, tell } = await openNewer()
  tell()
  await expect.poll(() => given).toEqual(['after'])
  answer()
  await push([held])
  expect(bodies).toEqual([held])
})

test('P1: what comes while RxDB notes what need not leave is kept back until then', async () => {
  const { push, pushes, bodies, given, held, answer, tell } = await openNewer()
  const pushed = push([held, { _id: 'lost', content: 'only here', _deleted: false }])
  await expect.poll(() => bodies).toHaveLength(1)
  expect(pushes.isUnderWay('held')).toBe(true)
  tell()
  await new Promise((resolve) => setImmediate(resolve))
  expect(given).toEqual([])
  answer()
  await pushed
  await expect.poll(() => given).toEqual(['after'])
})

test('pushes leave one after the other', async () => {
  const waiting: (() => void)[] = []
  const { ask, push } = await openTestCalls((request, response) => {
    if (request.method === 'GET') return answerJson(response, {})
    waiting.push(() => answerRows(response, [{ _id: 'a' }, { _id: 'b' }]))
  })
  const both = Promise.all([push([{ _id: 'a' }]), push([{ _id: 'b' }])])
  await expect.poll(() => waiting.length).toBe(1)
  // Another round trip happens meanwhile.
  await ask({ path: '_local/checkpoint' })
  expect(waiting).toHaveLength(1)
  for (const answer of waiting.splice(0)) answer()
  await expect.poll(() => waiting.length).toBe(1)
  for (const answer of waiting.splice(0)) answer()
  await both
})

test('P6: what is withdrawn while its push waits leaves as it is by then', async () => {
  const offered: unknown[] = []
  const { push, replace } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as { docs: { _id: string; content: string }[] }
    offered.push(...docs.map(({ content }) => content))
    if (offered.length === 1) {
      replace({ _id: 'a', content: 'withdrawn' })
      return void response.writeHead(503).end()
    }
    answerJson(
      response,
      docs.map(({ _id: id }) => ({ id, ok: true })),
    )
  })
  await push([{ _id: 'a', content: 'a regret' }])
  expect(offered).toEqual(['a regret', 'withdrawn'])
  replace({ _id: 'a', content: 'of no push' })
  await push([{ _id: 'a', content: 'again' }])
  expect(offered.at(-1)).toBe('again')
})
