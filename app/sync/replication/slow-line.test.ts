import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { answerRows, makeRows, openTestCalls, readQuery } from './testing/open-test-calls.ts'

/** So impatient that a total timeout of this would end every answer here. */
const line = { silenceMs: 1_000, bytesPerSecond: 60_000 }

// Time passes only where a test says so: a machine that stands still is no silent line.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const longestNs = 20_000_000_000n

/** Unlike `expect.poll`, which passes virtual time with each look. */
async function until(what: string, isTrue: () => boolean | Promise<boolean>) {
  const end = process.hrtime.bigint() + longestNs
  while (!(await isTrue())) {
    if (process.hrtime.bigint() > end) throw new Error(`Waited in vain: ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Passes the time between two attempts: none while a request is on its way. */
function passPauses({ isAsking }: { isAsking: () => boolean }, isOver: () => boolean) {
  return until('the next attempt has come', async () => {
    if (!isAsking()) await pass(10)
    return isOver()
  })
}

/** What the device has heard, and when. */
function listen() {
  const heard = { at: -1 }
  return {
    heard,
    untilNow: () => until('it is heard', () => heard.at === performance.now()),
  }
}

/** Writes a piece once the previous one has come, for longer than any silence on the line. */
async function trickle(response: ServerResponse, text: string, untilHeard: () => Promise<void>) {
  const pieceMs = line.silenceMs / 10
  const length = Math.ceil(text.length / 15)
  for (let at = 0; at < text.length; at += length) {
    response.write(text.slice(at, at + length))
    await untilHeard()
    await pass(pieceMs)
  }
  response.end()
}

test.for([undefined, 10_000])(
  'an answer that trickles is read to its end (heartbeat: %s)',
  async (heartbeatMs) => {
    const { heard, untilNow } = listen()
    const { ask, outcomes } = await openTestCalls(
      (_request, response) => trickle(response, JSON.stringify({ results: makeRows(9) }), untilNow),
      { line, heard },
    )
    const answer = await ask({ path: '_changes', ...(heartbeatMs && { heartbeatMs }) })
    expect(answer).toEqual({ results: makeRows(9) })
    expect(outcomes).toEqual(['reached'])
  },
)

test('a poll that waits and says so is waited for; one that falls silent has ended', async () => {
  const { heard, untilNow } = listen()
  const answered = createDeferred<ServerResponse>()
  const { ask, outcomes } = await openTestCalls(
    (_request, response) => answered.resolve(response),
    {
      line,
      heard,
    },
  )
  const isOver = vi.fn()
  ask({ path: '_changes?feed=longpoll&heartbeat=100', heartbeatMs: 100 }).then(isOver, isOver)
  const response = await answered.promise
  response.write('{"results":[\n')
  for (let waited = 0; waited <= 2 * line.silenceMs; waited += 100) {
    await untilNow()
    await pass(100)
    response.write('\n')
  }
  await untilNow()
  expect(outcomes).toEqual([])
  await pass(line.silenceMs + 100)
  await until('it has ended', () => outcomes.length > 0)
  expect(outcomes).toEqual(['unreachable'])
  expect(isOver).not.toHaveBeenCalled()
})

test('a page that breaks off is asked for in smaller ones, which grow again', async () => {
  const { heard, untilNow } = listen()
  const limits: number[] = []
  const opened = await openTestCalls(
    (request, response) => {
      const limit = Number(readQuery(request).get('limit'))
      limits.push(limit)
      const page = JSON.stringify({ results: makeRows(limit), last_seq: limits.length })
      if (limits.length > 1) response.end(page)
      else response.write(page.slice(0, -20))
    },
    { line, pageRows: 100, heard },
  )
  const first = opened.pull(1)
  await untilNow()
  await pass(line.silenceMs)
  await passPauses(opened, () => limits.length > 1)
  const counts = [(await first).documents.length]
  for (let i = 1; i < 5; i += 1) counts.push((await opened.pull(1)).documents.length)
  expect(limits).toEqual([50, 12, 18, 27, 41, 62])
  expect(counts).toEqual([12, 18, 27, 41, 62])
})

test('a push has the time that its size needs, and what broke off leaves in smaller parts, once', async () => {
  const pushed: string[][] = []
  const opened = await openTestCalls(
    async (request, response) => {
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      pushed.push(docs.map(({ _id }) => _id))
      // By its size it may take longer than the allowed silence.
      if (pushed.length === 1) setTimeout(() => answerRows(response, docs), 2 * line.silenceMs)
      if (pushed.length > 2) answerRows(response, docs)
    },
    { line },
  )
  const docs = Array.from({ length: 4 }, (_, n) => ({ _id: `${n}`, text: 'x'.repeat(59_000) }))
  const pushing = opened.push(docs)
  await until('it has come', () => pushed.length === 1)
  await pass(2 * line.silenceMs)
  await until('the rest has come', () => pushed.length === 2)
  await pass(3 * line.silenceMs)
  await passPauses(opened, () => pushed.length > 2)
  expect(await pushing).toEqual([])
  expect(pushed).toEqual([['0', '1'], ['2', '3'], ['2'], ['3']])
})

test('what is pushed into silence is offered again sooner than a page is asked for again', async () => {
  const { ask, push, asked } = await openTestCalls(() => {}, { line })
  ask({ path: '_changes' }).catch(() => {})
  await until('the page is asked for', () => asked.length === 1)
  push([{ _id: '1' }]).catch(() => {})
  await until('it is pushed', () => asked.length === 2)
  // Both go on asking.
  await until('all is asked for again', async () => {
    await pass(10)
    return asked.slice(2).includes('GET _changes')
  })
  expect(asked.slice(0, 3)).toEqual(['GET _changes', 'POST _bulk_docs', 'POST _bulk_docs'])
})

test('what is pushed is waited for while a page trickles that its answer may stand behind', async () => {
  const { heard, untilNow } = listen()
  const isPushed = createDeferred()
  const { ask, push, asked } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET') {
        await isPushed.promise
        return await trickle(response, JSON.stringify({ results: makeRows(9) }), untilNow)
      }
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      isPushed.resolve()
      await page
      answerRows(response, docs)
    },
    // A page takes 15 pieces of 100 ms each: longer than the silence that alone ends a push.
    { line: { silenceMs: 2_400, bytesPerSecond: 60_000 }, heard },
  )
  const page = ask({ path: '_changes' })
  await until('the page is asked for', () => asked.length === 1)
  expect(await push([{ _id: '1' }])).toEqual([])
  expect(asked).toEqual(['GET _changes', 'POST _bulk_docs'])
})
