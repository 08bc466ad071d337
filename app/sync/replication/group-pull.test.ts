import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { answerJson, makeRows, openTestCalls } from './testing/open-test-calls.ts'

const nothing = { results: [], last_seq: 5 }
const ids = (pulled: { documents: { _id: string }[] }) => pulled.documents.map(({ _id }) => _id)

/** Where a group is, and how many of its changes up to there this person may read. */
interface TestGroup {
  seq: number
  count: number
}

interface Asked {
  since: Record<string, number>
  limit: number
}

/** A server with these groups. */
async function openGroups(groups: Record<string, TestGroup>) {
  const asked: Asked[] = []

  function answerGroup(_id: string, { seq, count }: TestGroup, since: number, limit: number) {
    if (since >= seq) return []
    const from = Math.max(since, seq - count) + 1
    const results = makeRows(Math.min(limit, seq - from + 1), from)
    const last_seq = results.length < limit ? seq : (results.at(-1)?.seq ?? seq)
    return [{ _id, isMember: true, results, last_seq }]
  }

  const opened = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      const body = (await json(request)) as Asked
      asked.push(body)
      let left = body.limit
      const answered = Object.entries(groups).flatMap(([id, group]) => {
        const found = left > 0 ? answerGroup(id, group, body.since[id] ?? 0, left) : []
        left -= found[0]?.results.length ?? 0
        return found
      })
      answerJson(response, { groups: answered })
    },
    { hasGroups: true },
  )
  return { ...opened, questions: asked }
}

test('P14: three hundred silent groups cost one request', async () => {
  const groups = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [`g${n}`, { seq: n, count: 0 }]),
  )
  const { pull, questions } = await openGroups(groups)
  const stored = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`group:g${n}`, n]))
  expect((await pull(5, stored)).documents).toEqual([])
  expect(questions).toHaveLength(1)
})

test("P14: one page has what is new of all groups, and moves each group's place alone", async () => {
  const { pull, questions } = await openGroups({
    walks: { seq: 62, count: 60 },
    choir: { seq: 7, count: 0 },
    cooks: { seq: 3, count: 3 },
  })
  const first = await pull(5, { 'group:walks': 2, 'group:choir': 7 })
  expect(first.documents).toHaveLength(50)
  expect(first.checkpoint).toEqual({ sequence: 5, 'group:walks': 52 })
  const second = await pull(5, { 'group:walks': 52, 'group:choir': 7 })
  expect(ids(second)).toEqual([...Array.from({ length: 10 }, (_, n) => `${53 + n}`), '1', '2', '3'])
  expect(second.checkpoint).toEqual({ sequence: 5, 'group:walks': 62, 'group:cooks': 3 })
  const all = { 'group:walks': 62, 'group:choir': 7, 'group:cooks': 3 } as const
  expect((await pull(5, all)).documents).toEqual([])
  expect(questions.map(({ since }) => since.walks)).toEqual([2, 52, 62])
})

test('what a group has for others only is passed over once, until the group moves', async () => {
  const groups = { walks: { seq: 12, count: 0 } }
  const { pull, questions } = await openGroups(groups)
  expect((await pull(5)).documents).toEqual([])
  expect((await pull(5)).documents).toEqual([])
  expect(questions.map(({ since }) => since.walks)).toEqual([undefined, 12, 12])
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
  // The others are not held up by it.
  expect(ids(pulled)).toEqual(['11', '21'])
  expect(pulled.checkpoint).toEqual({ sequence: 5, 'group:walks': 11, 'group:choir': 21 })
  expect((await pull(5, { 'group:walks': 11, 'group:choir': 21 })).documents).toEqual([])
  expect(again).toEqual([])
  push.resolve()
  await over
  await expect.poll(() => again).toEqual(['asked'])
  expect(ids(await pull(5, { 'group:walks': 11, 'group:choir': 21 }))).toEqual(['12', '13'])
})

test('a server that knows no groups holds up nothing', async () => {
  const { pull, asked } = await openTestCalls(
    (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":"Not found","code":"not_found"}')
    },
    { hasGroups: true },
  )
  expect((await pull(5)).documents).toEqual([])
  expect(asked).toHaveLength(2)
})

test('what becomes of groups is told before their messages', async () => {
  const { pull, groups } = await openTestCalls(
    (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      const left = { _id: 'walks', isMember: false, results: makeRows(1), last_seq: '1-1' }
      answerJson(response, { groups: [left] })
    },
    { hasGroups: true },
  )
  expect(ids(await pull(5))).toEqual(['1'])
  expect(groups).toEqual([{ groupId: 'walks', isMember: false, record: undefined }])
})
