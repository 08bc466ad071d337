import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { GroupAnswer, GroupPart } from '../../../schema/api/groups.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { testGroup } from '../../database/testing/test-user.ts'
import type { PassedPlaces } from './group-pull.ts'
import { answerJson, makeRows, openTestCalls } from './testing/open-test-calls.ts'

const nothing = { results: [], last_seq: 5 }
const ids = (pulled: { documents: readonly { _id: string }[] }) =>
  pulled.documents.map(({ _id }) => _id)

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
async function openGroups(groups: Record<string, TestGroup>, { isFirstTime = false } = {}) {
  const asked: Asked[] = []
  const toPlace = (seq: number) => (isFirstTime ? `${seq}-1` : seq)

  function answerGroup(_id: string, { seq, count }: TestGroup, since: number, limit: number) {
    if (since >= seq) return []
    const from = Math.max(since, seq - count) + 1
    const results = makeRows(Math.min(limit, seq - from + 1), from)
    const last_seq = results.length < limit ? seq : (results.at(-1)?.seq ?? seq)
    const rows = results.map((row) => ({ ...row, seq: toPlace(row.seq) }))
    return [{ _id, isMember: true, results: rows, last_seq: toPlace(last_seq) }]
  }

  const opened = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      const body = (await json(request)) as Asked
      asked.push(body)
      let left = body.limit
      const answered = Object.entries(groups).flatMap(([id, group]) => {
        const found =
          left > 0
            ? answerGroup(id, group, Number.parseInt(String(body.since[id] ?? 0), 10), left)
            : []
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

test('P14: what lies before somebody came is passed over piece by piece, and a failure begins none again', async () => {
  const asked: (string | undefined)[] = []
  const { pull } = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      const { since } = (await json(request)) as { since: Record<string, string> }
      asked.push(since.walks)
      if (asked.length === 3) return void response.destroy()
      const number = Number.parseInt(since.walks ?? '0', 10)
      const piece = { _id: 'walks', isMember: true, last_seq: `${number + 100}-1` }
      const results = number === 300 ? makeRows(1, 350) : []
      answerJson(response, { groups: [{ ...piece, results }] })
    },
    { hasGroups: true },
  )
  const pulled = await pull(5).catch(() => pull(5))
  expect(ids(pulled)).toEqual(['350'])
  expect(pulled.checkpoint).toEqual({ sequence: 5, 'group:walks': '400-1' })
  expect(asked).toEqual([undefined, '100-1', '200-1', '200-1', '300-1'])
})

test('P14: what lies before somebody came is passed over from where a start before had come', async () => {
  const open = async (passed?: PassedPlaces) => {
    const asked: (string | undefined)[] = []
    const opened = await openTestCalls(
      async (request, response) => {
        if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
        const { since } = (await json(request)) as { since: Record<string, string> }
        asked.push(since.walks)
        const number = Number.parseInt(since.walks ?? '0', 10)
        if (number === 300) return answerJson(response, { groups: [] })
        const piece = { _id: 'walks', isMember: true, last_seq: `${number + 100}-1` }
        answerJson(response, { groups: [{ ...piece, results: [] }] })
      },
      { hasGroups: true, passed },
    )
    return { ...opened, asked }
  }
  const first = await open()
  await first.pull(5)
  expect(first.passings.map(({ walks }) => walks?.to)).toEqual(['100-1', '200-1', '300-1'])
  // It ended after the second piece.
  const second = await open(first.passings[1])
  await second.pull(5)
  expect(second.asked).toEqual(['200-1', '300-1'])
  // Behind another place of the checkpoint something may lie before it.
  const other = await open(first.passings[1])
  await other.pull(5, { 'group:walks': '100-1' })
  expect(other.asked).toEqual(['100-1', '200-1', '300-1'])
})

/** One group that answers by the place it is asked from; a question can be held back. */
async function openWalks(answerOf: (since: string) => object | undefined) {
  const walks = '01900000-0000-7000-8000-0000000000a1'
  const hold = { isAsked: createDeferred(), answer: Promise.resolve() }
  const opened = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      const { since } = (await json(request)) as { since: Record<string, string> }
      const piece = answerOf(since[walks] ?? '')
      if (!piece) return answerJson(response, { groups: [] })
      hold.isAsked.resolve()
      await hold.answer
      answerJson(response, { groups: [{ _id: walks, isMember: true, results: [], ...piece }] })
    },
    { hasGroups: true },
  )
  const recordOf = (name: string): GroupAnswer => ({
    ...testGroup({ _id: walks, name }),
    members: [],
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const pullFrom = (place: string) => opened.pull(5, { [`group:${walks}`]: place })
  return { ...opened, walks, hold, recordOf, pullFrom }
}

test('P14: an answer that the line has overtaken brings no earlier record of its group', async () => {
  const { pullFrom, hear, groups, recordOf, walks } = await openWalks((since) =>
    since === '10-1' ? { last_seq: '12-1', group: recordOf('Walks') } : undefined,
  )
  await pullFrom('12-1')
  const changes = { from: 12, to: 13, group: recordOf('Long walks'), docs: [] }
  expect(hear({ groupId: walks, changes })).toBe(true)
  await expect.poll(() => groups.length).toBe(1)
  // What the line brought was not stored yet: RxDB asks from before it.
  await pullFrom('10-1')
  expect(groups.map(({ record }) => record?.name)).toEqual(['Long walks', undefined])
})

test('P14 P5: what the line brought is not given behind a newer answer: not who was in the group, nor what was deleted since', async () => {
  const held = createDeferred()
  const { pullFrom, hear, groups, given, recordOf, walks, hold } = await openWalks((since) =>
    since === '10-1' ? { last_seq: '14-1', isMember: false } : undefined,
  )
  await pullFrom('12-1')
  hold.answer = held.promise
  const pulled = pullFrom('10-1')
  await hold.isAsked.promise
  const older = { from: 12, to: 14, group: recordOf('Walks'), docs: [{ _id: '13' }] }
  const newer = { from: 14, to: 15, docs: [{ _id: '15' }] }
  for (const changes of [older, newer]) expect(hear({ groupId: walks, changes })).toBe(true)
  held.resolve()
  await pulled
  await expect.poll(() => given.flatMap((gift) => ids(gift))).toEqual(['15'])
  expect(groups.map(({ isMember }) => isMember)).toEqual([false])
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

test('P7: what the line brings of a group follows on what was asked for, once each', async () => {
  const { pull, hear, given, groups, questions } = await openGroups(
    { walks: { seq: 12, count: 2 } },
    { isFirstTime: true },
  )
  const changes = (from: number, to: number) => ({
    groupId: 'walks',
    changes: { from, to, docs: makeRows(to - from, from + 1).map(({ doc }) => doc) },
  })
  expect(ids(await pull(5))).toEqual(['11', '12'])
  await pull(5, { 'group:walks': '12-1' })
  expect(hear({ groupId: 'walks' })).toBe(false)
  expect(hear(changes(13, 14))).toBe(false)
  expect(hear(changes(12, 13))).toBe(true)
  expect(hear(changes(12, 13))).toBe(false)
  expect(hear(changes(13, 15))).toBe(true)
  await expect.poll(() => given.length).toBe(2)
  expect(given.map(({ documents }) => documents.map(({ _id }) => _id))).toEqual([
    ['13'],
    ['14', '15'],
  ])
  expect(given.map(({ checkpoint }) => checkpoint)).toEqual([
    { 'group:walks': '13-1' },
    { 'group:walks': '15-1' },
  ])
  expect(groups).toHaveLength(1)
  expect(questions).toHaveLength(2)
})

test('P7: what the line brings during a catch-up waits for its end, and counts from where that came', async () => {
  const { pull, hear, given, again } = await openGroups(
    { walks: { seq: 12, count: 2 } },
    { isFirstTime: true },
  )
  const changes = (from: number, to: number) => ({
    groupId: 'walks',
    changes: { from, to, docs: makeRows(to - from, from + 1).map(({ doc }) => doc) },
  })
  // Nothing is known of it yet; and the catch-up may have the first two, or one of them.
  for (const one of [changes(10, 11), changes(11, 13), changes(13, 14)]) {
    expect(hear(one)).toBe(true)
  }
  expect(ids(await pull(5))).toEqual(['11', '12'])
  await pull(5, { 'group:walks': '12-1' })
  await expect
    .poll(() => given.map(({ checkpoint }) => checkpoint))
    .toEqual([{ 'group:walks': '13-1' }, { 'group:walks': '14-1' }])
  expect(again).toEqual([])
  // Without an end in sight there is no waiting for what is missing.
  expect(hear(changes(15, 16))).toBe(false)
})

test("P7: what the line brings of a document that is being pushed waits for the push's end", async () => {
  const { pull, hear, given, pushes, again } = await openGroups(
    { walks: { seq: 12, count: 2 } },
    { isFirstTime: true },
  )
  const { checkpoint } = await pull(5)
  await pull(5, checkpoint)
  const push = createDeferred()
  const over = pushes.watch(['13'], () => push.promise)
  const docs = (id: string) => [{ _id: id }]
  expect(hear({ groupId: 'walks', changes: { from: 12, to: 13, docs: docs('13') } })).toBe(true)
  expect(hear({ groupId: 'walks', changes: { from: 13, to: 14, docs: docs('14') } })).toBe(true)
  expect(given).toEqual([])
  push.resolve()
  await over
  await expect.poll(() => given.length).toBe(2)
  expect(given.at(-1)?.checkpoint).toEqual({ 'group:walks': '14-1' })
  expect(again).toEqual([])
})

test('P14: a group that this device never pulled anything of is asked for by name, and told to be over', async () => {
  const { pull, groups, bodies } = await openEnded()
  await pull(5, { 'group:walks': '12-1' })
  expect(bodies[0]?.since).toEqual({ walks: '12-1', choir: 0 })
  expect(groups).toEqual([{ groupId: 'choir', isMember: false, isOver: true }])
})

/** A server where the choir, which this device made, is over. */
async function openEnded() {
  const bodies: Asked[] = []
  const opened = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      bodies.push((await json(request)) as Asked)
      answerJson(response, { groups: [], gone: ['choir'] })
    },
    { hasGroups: true, madeGroups: ['walks', 'choir'] },
  )
  return { ...opened, bodies }
}

test('P7: of a large group what has changed of its record is taken by who has it from before', async () => {
  const bodies: (Asked & { records?: Record<string, number> })[] = []
  const member = (at: number) => ({ userId: `u${at}`, role: 'member' as const, joinedAt: '' })
  const known = testGroup({
    _id: 'walks',
    membersAt: 7,
    members: Array.from({ length: 70 }, (_, at) => member(at)),
  })
  const small = testGroup({ _id: 'choir', membersAt: 7 })
  const { hear, pull, groups } = await openTestCalls(
    async (request, response) => {
      if (request.url !== '/sync/groups/_changes') return answerJson(response, nothing)
      bodies.push((await json(request)) as Asked)
      answerJson(response, { groups: [] })
    },
    {
      hasGroups: true,
      recordOf: (groupId) => [known, small].find(({ _id }) => _id === groupId),
    },
  )
  await pull(5, { 'group:walks': '12-1', 'group:choir': '3-1' })
  expect(bodies[0]?.records).toEqual({ walks: 7 })
  const part = (membersSince: number) => ({
    ...(known as unknown as GroupPart),
    ...{ membersSince, membersAt: 9, members: [], gone: ['u3'] },
  })
  const changes = (membersSince: number) => ({
    groupId: 'walks',
    changes: { from: 12, to: 13, part: part(membersSince), docs: [] },
  })
  expect(hear(changes(8))).toBe(false)
  expect(hear(changes(7))).toBe(true)
  await expect.poll(() => groups.at(-1)?.part).toMatchObject({ gone: ['u3'] })
})
