import { json } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import {
  answerJson,
  answerRows,
  makeRows,
  openTestCalls,
  readQuery,
} from './testing/open-test-calls.ts'

afterEach(() => void vi.useRealTimers())

/** The requests to `_changes`: their mode, and their start. */
const listPulls = (asked: readonly string[]) =>
  asked.flatMap((line) => {
    const [path, query] = line.split('?')
    const values = new URLSearchParams(query)
    return path === 'GET _changes' ? [`${values.get('feed')} ${values.get('since')}`] : []
  })

const ids = (pulled: { documents: { _id: string }[] }) => pulled.documents.map(({ _id }) => _id)

test('the live feed begins where the catch-up ended, not at now', async () => {
  const { pulling, pull, asked } = await openTestCalls((request, response) => {
    const isLive = readQuery(request).get('feed') === 'longpoll'
    if (!isLive) answerJson(response, { results: makeRows(2, 6), last_seq: '7+a' })
  })
  pulling.run().catch(() => {})
  await pull(5)
  await expect.poll(() => listPulls(asked)).toEqual(['normal 5', 'longpoll 7+a'])
})

test('a catch-up comes in pages that grow from a small one, and reports how much is to come', async () => {
  const missed = 350
  const { pulling, pull, asked, coming } = await openTestCalls(
    (request, response) => {
      const query = readQuery(request)
      if (query.get('feed') === 'longpoll') return
      const since = Number(query.get('since'))
      const count = Math.min(Number(query.get('limit')), missed - since)
      const pending = missed - since - count
      const results = makeRows(count, since + 1)
      answerJson(response, { results, last_seq: since + count, ...(pending > 0 && { pending }) })
    },
    { pageRows: 500 },
  )
  pulling.run().catch(() => {})
  const counts: number[] = []
  for (let since = 0; ; ) {
    const { documents, checkpoint } = await pull(since)
    if (documents.length === 0) break
    counts.push(documents.length)
    since = Number(checkpoint.sequence)
  }
  expect(counts).toEqual([50, 75, 113, 112])
  expect(coming).toEqual([300, 225, 112, 0])
  // Nothing waits beside the catch-up, and nothing is requested twice.
  await expect.poll(() => listPulls(asked)).toHaveLength(5)
  expect(listPulls(asked)).toEqual(
    [0, 50, 125, 238].map((at) => `normal ${at}`).concat('longpoll 350'),
  )
})

test('documents are asked for without revisions, and taken with them from who knows no other way', async () => {
  const said = { _id: '1', text: 'hello' }
  const { pull, asked } = await openTestCalls((_request, response) => {
    const doc = { ...said, _rev: '1-a' }
    const full = { id: '1', seq: 1, changes: [{ rev: '1-a' }], doc }
    answerJson(response, {
      results: [asked.length === 1 ? { seq: 1, doc: said } : full],
      last_seq: 1,
    })
  })
  for (const since of [0, 7]) {
    expect((await pull(since)).documents).toEqual([{ ...said, _deleted: false }])
  }
  for (const line of asked) expect(line).toContain('&bare=true')
})

test('what the stream waits for is asked for once when a catch-up begins, and the stream goes on behind it', async () => {
  const missed = { count: 0 }
  const { pulling, pull, asked } = await openTestCalls(
    (request, response) => {
      const query = readQuery(request)
      const since = Number(query.get('since'))
      const count = Math.min(Number(query.get('limit')), Math.max(missed.count - since, 0))
      if (count === 0 && query.get('feed') === 'longpoll') return
      answerJson(response, { results: makeRows(count, since + 1), last_seq: since + count })
    },
    { pageRows: 20 },
  )
  pulling.run().catch(() => {})
  await pull(0)
  await expect.poll(() => listPulls(asked)).toEqual(['normal 0', 'longpoll 0'])
  missed.count = 50
  for (const [since, count] of [
    [0, 20],
    [20, 20],
    [40, 10],
    [50, 0],
  ] as const) {
    expect((await pull(since)).documents).toHaveLength(count)
  }
  await expect.poll(() => listPulls(asked).at(-1)).toBe('longpoll 50')
  expect(listPulls(asked).slice(2)).toEqual(['normal 0', 'normal 20', 'normal 40', 'longpoll 50'])
})

test('a page is not asked for while two wait to be stored', async () => {
  const { ask, pull, asked, stored } = await openTestCalls(
    (request, response) => {
      const since = Number(readQuery(request).get('since'))
      answerJson(response, { results: makeRows(2_000), last_seq: since + 2_000 })
    },
    { pageRows: 2_000 },
  )
  await pull(0)
  await pull(2_000)
  const third = pull(4_000)
  // Another round trip happens meanwhile.
  await ask({ path: '_local/checkpoint' })
  expect(listPulls(asked)).toHaveLength(2)
  stored.place = 2_000
  await third
  expect(listPulls(asked)).toHaveLength(3)
})

test('what was less than a page is known to be the end, unless the stream has given something since', async () => {
  const news = createDeferred()
  const { pulling, pull, asked } = await openTestCalls(async (request, response) => {
    const isLive = readQuery(request).get('feed') === 'longpoll'
    if (isLive) await news.promise
    const since = Number(readQuery(request).get('since'))
    const results = since >= 8 ? [] : makeRows(since === 5 ? 2 : 1, since + 1)
    if (since < 8) answerJson(response, { results, last_seq: since + results.length })
    else if (!isLive) answerJson(response, { results, last_seq: since })
  })
  const given: unknown[] = []
  pulling.stream$.subscribe(({ checkpoint }) => given.push(checkpoint.sequence))
  pulling.run().catch(() => {})
  expect(ids(await pull(5))).toEqual(['6', '7'])
  expect(await pull(7)).toEqual({ documents: [], checkpoint: { sequence: 7 } })
  expect(listPulls(asked).filter((one) => one.startsWith('normal'))).toEqual(['normal 5'])
  // RxDB drops what the stream delivers before requesting the next page.
  await pull(5)
  news.resolve()
  await expect.poll(() => given).toEqual([8])
  expect(ids(await pull(7))).toEqual(['8'])
})

test('P9: what the line has missed is asked for at once, and nothing waits beside it', async () => {
  const line = { isOpen: true, missed: 2, places: [] as string[] }
  const { pulling, pull, asked } = await openTestCalls(
    (request, response) => {
      const query = readQuery(request)
      const since = Number(query.get('since'))
      if (query.get('feed') === 'longpoll') return
      const results = since < 8 ? [] : makeRows(since < 12 ? 2 : 1, since + 1)
      answerJson(response, { results, last_seq: since + Math.max(results.length, 1) })
    },
    {
      pageRows: 2,
      feed: {
        isOpen: () => line.isOpen,
        async next({ since }) {
          line.places.push(since)
          line.missed -= 1
          if (line.missed < 0) line.isOpen = false
          return undefined
        },
      },
    },
  )
  pulling.run().catch(() => {})
  await pull(6)
  // Nothing new at 7, and full pages from 8 on: the pull requests the next ones before it waits.
  await expect
    .poll(() => listPulls(asked))
    .toEqual(['normal 6', 'normal 7', 'normal 8', 'normal 10', 'normal 12', 'longpoll 13'])
  expect(line.places).toEqual(['7', '8', '13'])
})

test('P1: what is being pushed is kept back, wherever it comes from, and nothing else', async () => {
  const pushing = createDeferred()
  const { pulling, pull, push } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET')
        return answerJson(response, { results: makeRows(4, 1), last_seq: 4 })
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      await pushing.promise
      answerRows(response, docs)
    },
    {
      feed: {
        isOpen: () => true,
        next: ({ signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      },
    },
  )
  const given: unknown[] = []
  pulling.stream$.subscribe((each) => given.push([...ids(each), each.checkpoint.sequence]))
  const pushed = push([{ _id: '3' }])
  const page = await pull(0)
  expect([ids(page), page.checkpoint.sequence]).toEqual([['1', '2'], 2])
  expect((await pull(2)).documents).toEqual([])
  pulling.run().catch(() => {})
  // The page was cut there: the pull requests the rest, and held-back documents stay behind the
  // checkpoint.
  await expect.poll(() => given).toContainEqual(['1', '2', '4', 2])
  pushing.resolve()
  await pushed
  await expect.poll(() => given.at(-1)).toEqual(['3', 4])
})

test('P10: a catch-up that ended before what is being pushed closes no gap, and another one is asked for', async () => {
  const pushing = createDeferred()
  const news = createDeferred()
  const gap = { isOpen: true }
  const { pulling, pull, push, again } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET') {
        const since = Number(readQuery(request).get('since'))
        return answerJson(response, { results: makeRows(4 - since, since + 1), last_seq: 4 })
      }
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      await pushing.promise
      answerRows(response, docs)
    },
    {
      kept: {
        take: async () => [],
        isAhead: () => gap.isOpen,
        closeGaps: async () => void Object.assign(gap, { isOpen: false }),
      },
      feed: {
        isOpen: () => true,
        async next({ signal }) {
          if (again.length > 0)
            await new Promise((_, reject) => signal.addEventListener('abort', reject))
          await news.promise
          return { results: makeRows(1, 5) as never, last_seq: 5 }
        },
      },
    },
  )
  const pushed = push([{ _id: '3' }])
  expect(ids(await pull(0))).toEqual(['1', '2'])
  pulling.run().catch(() => {})
  pushing.resolve()
  await pushed
  // The page after the cut may have come, and asked, by now.
  expect(gap.isOpen).toBe(true)
  news.resolve()
  await expect.poll(() => again).toEqual(['asked'])
  expect(gap.isOpen).toBe(true)
  expect(ids(await pull(2))).toEqual(['3', '4'])
  await expect.poll(() => gap.isOpen).toBe(false)
})

test('P10: a gap that cannot be closed is closed later, also if nothing else ever comes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const gap = { isOpen: true, tries: 0 }
  const { pull } = await openTestCalls(
    async (_request, response) => answerJson(response, { results: [], last_seq: 0 }),
    {
      kept: {
        take: async () => [],
        isAhead: () => gap.isOpen,
        async closeGaps() {
          gap.tries += 1
          if (gap.tries === 1) throw new Error('The disk is full.')
          gap.isOpen = false
        },
      },
    },
  )
  expect(await pull(0)).toMatchObject({ documents: [] })
  await expect.poll(() => gap.tries).toBe(1)
  await vi.advanceTimersByTimeAsync(5_000)
  await expect.poll(() => gap.isOpen).toBe(false)
})

test('P1: what lies behind it when RxDB asks again is given once the push is over', async () => {
  const pushing = createDeferred()
  const news = createDeferred()
  const { pulling, pull, push } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET') {
        const since = Number(readQuery(request).get('since'))
        const results = since < 2 ? makeRows(2, 1) : makeRows(2, 3)
        return answerJson(response, { results, last_seq: since < 2 ? 2 : 4 })
      }
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      await pushing.promise
      answerRows(response, docs)
    },
    {
      feed: {
        isOpen: () => true,
        async next({ since, signal }) {
          if (since !== '2')
            await new Promise((_, reject) => signal.addEventListener('abort', reject))
          await news.promise
          return { results: makeRows(1, 4) as never, last_seq: 4 }
        },
      },
    },
  )
  const given: { ids: string[]; place: unknown }[] = []
  pulling.stream$.subscribe((each) =>
    given.push({ ids: ids(each), place: each.checkpoint.sequence }),
  )
  pulling.run().catch(() => {})
  await pull(0)
  const pushed = push([{ _id: '3' }])
  news.resolve()
  await expect.poll(() => given).toEqual([{ ids: ['4'], place: 4 }])
  // RxDB drops that, and then finds nothing before the document being pushed.
  expect(await pull(2)).toEqual({ documents: [], checkpoint: { sequence: 2 } })
  pushing.resolve()
  await pushed
  // Both in one page, or the one before the other.
  await expect
    .poll(() => given.slice(1).flatMap(({ ids }) => ids))
    .toEqual(expect.arrayContaining(['3', '4']))
  await expect.poll(() => given.at(-1)?.place).toBe(4)
})

test.for([
  {},
  [],
  null,
  { results: 3, last_seq: 1 },
  { results: [{ id: 'a' }], last_seq: 1 },
  { results: [] },
  { error: 'not ours' },
])('a 200 that says %j is told, and asked again', async (body) => {
  const { pull, asked, outcomes } = await openTestCalls((_request, response) =>
    answerJson(response, asked.length > 1 ? { results: makeRows(1), last_seq: 1 } : body),
  )
  expect(ids(await pull(0))).toEqual(['1'])
  expect(outcomes).toEqual(['refusing', 'reached'])
})
