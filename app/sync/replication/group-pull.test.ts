import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { answerJson, makeRows, openTestCalls, readQuery } from './testing/open-test-calls.ts'

const nothing = { results: [], last_seq: 5 }
const ids = (pulled: { documents: { _id: string }[] }) => pulled.documents.map(({ _id }) => _id)
const places = (seqs: Record<string, number>) =>
  Object.entries(seqs).map(([groupId, seq]) => ({ groupId, seq, isMember: true }))

/** Whose changes are asked for: a group's id, `places`, or `own`. */
function readSource({ url = '' }: IncomingMessage): string {
  if (url === '/api/groups/places') return 'places'
  return /^\/sync\/groups\/([^/]+)\/_changes/.exec(url)?.[1] ?? 'own'
}

/** A server whose groups are at these places, each with so many rows up to there. */
async function openGroups(groups: Record<string, { seq: number; count: number }>) {
  const sources: string[] = []
  const opened = await openTestCalls(
    (request, response) => {
      const source = readSource(request)
      sources.push(source)
      if (source === 'own') return answerJson(response, nothing)
      if (source === 'places') {
        const seqs = Object.entries(groups).map(([id, { seq }]) => [id, seq] as const)
        return answerJson(response, places(Object.fromEntries(seqs)))
      }
      const { seq = 0, count = 0 } = groups[source] ?? {}
      const query = readQuery(request)
      const from = Math.max(Number(query.get('since')), seq - count) + 1
      const rows = Math.min(Number(query.get('limit')), seq - from + 1)
      const results = makeRows(rows, from)
      answerJson(response, { results, last_seq: results.at(-1)?.seq ?? seq })
    },
    { hasGroups: true },
  )
  return { ...opened, sources }
}

test('P14: three hundred silent groups cost one request', async () => {
  const groups = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [`g${n}`, { seq: n, count: 0 }]),
  )
  const { pull, sources } = await openGroups(groups)
  const stored = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`group:g${n}`, n]))
  expect((await pull(5, stored)).documents).toEqual([])
  expect(sources).toEqual(['own', 'places'])
})

test("P14: only groups that moved are asked, and each page moves its group's place alone", async () => {
  const { pull, sources } = await openGroups({
    walks: { seq: 72, count: 62 },
    choir: { seq: 7, count: 0 },
    cooks: { seq: 3, count: 3 },
  })
  const first = await pull(5, { 'group:walks': 10, 'group:choir': 7 })
  expect(first.documents).toHaveLength(50)
  expect(first.checkpoint).toEqual({ sequence: 5, 'group:walks': 60 })
  const second = await pull(5, { 'group:walks': 60, 'group:choir': 7 })
  expect(ids(second)).toEqual(Array.from({ length: 12 }, (_, n) => `${61 + n}`))
  expect(second.checkpoint).toEqual({ sequence: 5, 'group:walks': 72 })
  const third = await pull(5, { 'group:walks': 72, 'group:choir': 7 })
  expect(ids(third)).toEqual(['1', '2', '3'])
  expect(third.checkpoint).toEqual({ sequence: 5, 'group:cooks': 3 })
  expect((await pull(5, { ...third.checkpoint, 'group:walks': 72 })).documents).toEqual([])
  const asked = sources.filter((source) => source !== 'own')
  expect(asked).toEqual(['places', 'walks', 'walks', 'cooks'])
})

test('a group that has nothing for this device is not asked again until it moves', async () => {
  const groups = { walks: { seq: 12, count: 0 } }
  const { pull, sources } = await openGroups(groups)
  await pull(5)
  await pull(5)
  expect(sources.filter((source) => source === 'walks')).toHaveLength(1)
  groups.walks = { seq: 13, count: 1 }
  expect(ids(await pull(5))).toEqual(['13'])
})

test("an arrival of what is being pushed ends its group's page, and is asked for after the push", async () => {
  const { pull, pushes, again } = await openGroups({
    walks: { seq: 13, count: 3 },
    choir: { seq: 21, count: 1 },
  })
  const push = createDeferred()
  const over = pushes.watch(['12'], () => push.promise)
  const pulled = await pull(5)
  expect(ids(pulled)).toEqual(['11'])
  expect(pulled.checkpoint).toEqual({ sequence: 5, 'group:walks': 11 })
  // The others are not held up by it.
  expect(ids(await pull(5, { 'group:walks': 11 }))).toEqual(['21'])
  expect(again).toEqual([])
  push.resolve()
  await over
  await expect.poll(() => again).toEqual(['asked'])
})

test('a server that knows no groups holds up nothing', async () => {
  const { pull, asked } = await openTestCalls(
    (request, response) => {
      if (readSource(request) === 'own') return answerJson(response, nothing)
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":"Not found","code":"not_found"}')
    },
    { hasGroups: true },
  )
  expect((await pull(5)).documents).toEqual([])
  expect(asked).toHaveLength(2)
})

test('P14: a group whose door is shut holds up no other', async () => {
  const { pull } = await openTestCalls(
    (request, response) => {
      const source = readSource(request)
      if (source === 'own') return answerJson(response, nothing)
      if (source === 'places') return answerJson(response, places({ walks: 12, choir: 2 }))
      if (source === 'choir') return answerJson(response, { results: makeRows(2), last_seq: 2 })
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":"not_found"}')
    },
    { hasGroups: true },
  )
  expect(ids(await pull(5))).toEqual(['1', '2'])
  expect((await pull(5, { 'group:choir': 2 })).documents).toEqual([])
})
