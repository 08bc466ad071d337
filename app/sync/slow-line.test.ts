import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { createDeferred } from '../../schema/create-deferred.ts'
import { answerJson, openTestFetch, readQuery } from './open-test-fetch.ts'

/** So impatient that a total of this much would end every answer here. */
const line = { silenceMs: 1_000, bytesPerSecond: 60_000 }
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}`, doc: { _id: `${n}` } }))

/** Writes a piece whenever the last is on its way, for longer than the line is ever silent. */
async function trickle(response: ServerResponse, text: string) {
  const pieceMs = line.silenceMs / 10
  const length = Math.ceil(text.length / 15)
  for (let at = 0; at < text.length; at += length) {
    response.write(text.slice(at, at + length))
    await new Promise((resolve) => setTimeout(resolve, pieceMs))
  }
  response.end()
}

test.for(['normal', 'longpoll'])('a %s answer that trickles is read to its end', async (feed) => {
  const { send, url, outcomes } = await openTestFetch(
    (_request, response) => trickle(response, JSON.stringify({ results: rows(9), last_seq: 9 })),
    { line },
  )
  const answer = await send(`${url}_changes?feed=${feed}&since=0&limit=20`)
  expect((await answer.json()).results).toHaveLength(9)
  expect(outcomes).toEqual(['reached'])
})

test('a poll that waits and says so is waited for; one that falls silent has ended', async () => {
  const fallenSilent = createDeferred()
  const { send, url, outcomes } = await openTestFetch(
    (_request, response) => {
      response.write('{"results":[\n')
      const heartbeats = setInterval(() => response.write('\n'), 100)
      void fallenSilent.promise.then(() => clearInterval(heartbeats))
    },
    { line },
  )
  const poll = send(`${url}_changes?feed=longpoll&since=7&limit=20&heartbeat=100`)
  const begunAt = performance.now()
  const isOver = vi.fn()
  poll.then(isOver, isOver)
  await expect.poll(() => performance.now() - begunAt).toBeGreaterThan(2 * line.silenceMs)
  expect(isOver).not.toHaveBeenCalled()
  fallenSilent.resolve()
  await expect(poll).rejects.toThrow('Nothing came')
  expect(outcomes).toEqual(['unreachable'])
})

test('a page that breaks off is asked for in smaller ones, which grow again', async () => {
  const limits: number[] = []
  const { send, url, pages } = await openTestFetch(
    (request, response) => {
      const limit = Number(readQuery(request).get('limit'))
      limits.push(limit)
      const page = JSON.stringify({ results: rows(limit), last_seq: limits.length })
      if (limits.length > 1) response.end(page)
      else response.write(page.slice(0, -20))
    },
    { line, pageRows: 100 },
  )
  const pull = () => send(`${url}_changes?feed=normal&since=1&limit=100`)
  await expect(pull()).rejects.toThrow('Nothing came')
  for (let i = 0; i < 5; i += 1) await pull()
  expect(limits).toEqual([100, 25, 38, 57, 86, 100])
  // With fewer rows than it knows to have been asked for, RxDB would take a small page for the last.
  expect(pages).toEqual([25, 38, 57, 86, 100])
})

test('a push has the time that its size needs, and what broke off leaves in smaller parts, once', async () => {
  const pushed: string[][] = []
  const { send, url } = await openTestFetch(
    async (request, response) => {
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      pushed.push(docs.map(({ _id }) => _id))
      // Slower than the line may be silent, by the time that its size gives.
      if (pushed.length === 1) setTimeout(() => answerRows(response, docs), 2 * line.silenceMs)
      if (pushed.length > 2) answerRows(response, docs)
    },
    { line },
  )
  const docs = Array.from({ length: 4 }, (_, n) => ({ _id: `${n}`, text: 'x'.repeat(59_000) }))
  const push = () => send(`${url}_bulk_docs`, { method: 'POST', body: JSON.stringify({ docs }) })
  await expect(push()).rejects.toThrow('Nothing came')
  expect(await (await push()).json()).toEqual(docs.map(({ _id: id }) => ({ id, ok: true })))
  expect(pushed).toEqual([['0', '1'], ['2', '3'], ['2'], ['3']])
})

test('pushes leave one after the other', async () => {
  const waiting: (() => void)[] = []
  const { send, url } = await openTestFetch((request, response) => {
    if (request.method === 'GET') return answerJson(response, {})
    waiting.push(() => answerRows(response, [{ _id: 'a' }]))
  })
  const push = (_id: string) =>
    send(`${url}_bulk_docs`, { method: 'POST', body: JSON.stringify({ docs: [{ _id }] }) })
  const both = Promise.all([push('a'), push('b')])
  await expect.poll(() => waiting.length).toBe(1)
  // Another request goes there and back meanwhile.
  await send(`${url}_local/checkpoint`)
  expect(waiting).toHaveLength(1)
  for (const answer of waiting.splice(0)) answer()
  await expect.poll(() => waiting.length).toBe(1)
  for (const answer of waiting.splice(0)) answer()
  await both
})

function answerRows(response: ServerResponse, docs: readonly { _id: string }[]) {
  answerJson(
    response,
    docs.map(({ _id: id }) => ({ id, ok: true })),
  )
}
