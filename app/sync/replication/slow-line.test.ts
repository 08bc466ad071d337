import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { answerRows, makeRows, openTestCalls, readQuery } from './testing/open-test-calls.ts'

/** So impatient that a total timeout of this would end every answer here. */
const line = { silenceMs: 1_000, bytesPerSecond: 60_000 }

/** Writes a piece once the previous one is on its way, for longer than any silence on the line. */
async function trickle(response: ServerResponse, text: string) {
  const pieceMs = line.silenceMs / 10
  const length = Math.ceil(text.length / 15)
  for (let at = 0; at < text.length; at += length) {
    response.write(text.slice(at, at + length))
    await new Promise((resolve) => setTimeout(resolve, pieceMs))
  }
  response.end()
}

test.for([undefined, 10_000])(
  'an answer that trickles is read to its end (heartbeat: %s)',
  async (heartbeatMs) => {
    const { ask, outcomes } = await openTestCalls(
      (_request, response) => trickle(response, JSON.stringify({ results: makeRows(9) })),
      { line },
    )
    const answer = await ask({ path: '_changes', ...(heartbeatMs && { heartbeatMs }) })
    expect(answer).toEqual({ results: makeRows(9) })
    expect(outcomes).toEqual(['reached'])
  },
)

test('a poll that waits and says so is waited for; one that falls silent has ended', async () => {
  const fallenSilent = createDeferred()
  const { ask, outcomes } = await openTestCalls(
    (_request, response) => {
      response.write('{"results":[\n')
      const heartbeats = setInterval(() => response.write('\n'), 100)
      void fallenSilent.promise.then(() => clearInterval(heartbeats))
    },
    { line },
  )
  const poll = ask({ path: '_changes?feed=longpoll&heartbeat=100', heartbeatMs: 100 })
  const begunAt = performance.now()
  const isOver = vi.fn()
  poll.then(isOver, isOver)
  await expect.poll(() => performance.now() - begunAt).toBeGreaterThan(2 * line.silenceMs)
  expect(isOver).not.toHaveBeenCalled()
  fallenSilent.resolve()
  await expect.poll(() => outcomes).toContain('unreachable')
  expect(isOver).not.toHaveBeenCalled()
})

test('a page that breaks off is asked for in smaller ones, which grow again', async () => {
  const limits: number[] = []
  const { pull } = await openTestCalls(
    (request, response) => {
      const limit = Number(readQuery(request).get('limit'))
      limits.push(limit)
      const page = JSON.stringify({ results: makeRows(limit), last_seq: limits.length })
      if (limits.length > 1) response.end(page)
      else response.write(page.slice(0, -20))
    },
    { line, pageRows: 100 },
  )
  const counts: number[] = []
  for (let i = 0; i < 5; i += 1) counts.push((await pull(1)).documents.length)
  expect(limits).toEqual([50, 12, 18, 27, 41, 62])
  expect(counts).toEqual([12, 18, 27, 41, 62])
})

test('a push has the time that its size needs, and what broke off leaves in smaller parts, once', async () => {
  const pushed: string[][] = []
  const { push } = await openTestCalls(
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
  expect(await push(docs)).toEqual([])
  expect(pushed).toEqual([['0', '1'], ['2', '3'], ['2'], ['3']])
})

test('what is pushed into silence is offered again sooner than a page is asked for again', async () => {
  const pageAsked = createDeferred()
  const { ask, push, asked } = await openTestCalls(() => pageAsked.resolve(), { line })
  ask({ path: '_changes' }).catch(() => {})
  await pageAsked.promise
  push([{ _id: '1' }]).catch(() => {})
  // Both go on asking.
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(4)
  expect(asked.slice(0, 3)).toEqual(['GET _changes', 'POST _bulk_docs', 'POST _bulk_docs'])
})

test('what is pushed is waited for while a page trickles that its answer may stand behind', async () => {
  const { ask, push, asked } = await openTestCalls(
    async (request, response) => {
      if (request.method === 'GET') {
        return await trickle(response, JSON.stringify({ results: makeRows(9) }))
      }
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      await page
      answerRows(response, docs)
    },
    // A page takes 15 pieces of 100 ms each: longer than the silence that alone ends a push.
    { line: { silenceMs: 2_400, bytesPerSecond: 60_000 } },
  )
  const page = ask({ path: '_changes' })
  await expect.poll(() => asked).toHaveLength(1)
  expect(await push([{ _id: '1' }])).toEqual([])
  expect(asked).toEqual(['GET _changes', 'POST _bulk_docs'])
})
