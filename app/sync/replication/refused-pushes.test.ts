import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { createSetAside, type SetAsideTold } from './set-aside.ts'
import { answerJson, answerRows, openTestCalls } from './testing/open-test-calls.ts'

interface Pushed {
  docs: { _id: string; content?: string }[]
}

afterEach(() => void vi.useRealTimers())

const useVirtualTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

/** Advances virtual time, and lets the requests made in it finish. */
async function passTime(isAsking: () => boolean, ms: number, isOver: () => boolean = () => false) {
  for (let passed = 0; passed < ms && !isOver(); passed += 100) {
    for (let turns = 0; turns < 20 || isAsking(); turns += 1) {
      await new Promise((done) => setImmediate(done))
    }
    await vi.advanceTimersByTimeAsync(100)
  }
}

function block(response: ServerResponse, status = 403, headers: Record<string, string> = {}) {
  response.writeHead(status, headers).end('<html>Blocked')
}

const docs = Array.from({ length: 100 }, (_, n) => ({
  _id: `${n}`,
  content: n === 60 ? 'union select' : 'fine',
}))

test('P6: of a hundred the one that is refused is found in a few requests, and the others pass', async () => {
  const taken = new Set<string>()
  const { push, asked, setAside, isAsking } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as Pushed
    if (docs.some(({ content }) => content === 'union select')) return block(response)
    for (const { _id } of docs) taken.add(_id)
    answerRows(response, docs)
  })
  useVirtualTime()
  const state = { isOver: false }
  const pushed = push(docs).finally(() => {
    state.isOver = true
  })
  await passTime(isAsking, 60_000, () => state.isOver)
  expect(await pushed).toEqual([])
  expect(taken.size).toBe(99)
  expect(taken.has('60')).toBe(false)
  expect(setAside.has('60')).toBe(true)
  expect(asked.length).toBeLessThan(16)
  // The identical document is not even offered; a changed one is, immediately.
  const before = asked.length
  await push([{ _id: '60', content: 'union select' }])
  expect(asked).toHaveLength(before)
  await push([{ _id: '60', content: 'said otherwise' }])
  expect(setAside.has('60')).toBe(false)
})

test('P12: where everything is refused there are a few tries a minute, and no more', async () => {
  const { push, asked, stop, isAsking } = await openTestCalls(
    async (request, response) => {
      await json(request)
      block(response)
    },
    { firstMs: 1_000 },
  )
  useVirtualTime()
  const pushed = push(docs)
  pushed.catch(() => {})
  await passTime(isAsking, 60_000)
  expect(asked.length).toBeLessThanOrEqual(7)
  const before = asked.length
  await passTime(isAsking, 60_000)
  expect(asked.length - before).toBeLessThanOrEqual(4)
  stop.abort(new Error('over'))
  await expect(pushed).rejects.toThrow('over')
})

test.for([403, 429, 503])(
  'P12: Retry-After is kept with %i, whatever sign of life there is',
  async (status) => {
    const { push, asked, backOff, isAsking } = await openTestCalls(async (request, response) => {
      const { docs } = (await json(request)) as Pushed
      if (asked.length > 1) return answerRows(response, docs)
      block(response, status, { 'retry-after': '90' })
    })
    useVirtualTime()
    const pushed = push(docs.slice(0, 2))
    await passTime(isAsking, 1_000)
    backOff.hurry()
    await passTime(isAsking, 88_000)
    expect(asked).toHaveLength(1)
    await passTime(isAsking, 3_000, () => asked.length > 1)
    vi.useRealTimers()
    await pushed
    expect(asked.length).toBeGreaterThan(1)
  },
)

test('P6: what is told to come later four times in a row counts as one refusal', async () => {
  const { push, asked, setAside, isAsking } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as Pushed
    if (docs.length === 0) return answerRows(response, docs)
    block(response, 429, { 'retry-after': '1' })
  })
  useVirtualTime()
  const state = { isOver: false }
  const pushed = push(docs.slice(0, 1)).finally(() => {
    state.isOver = true
  })
  await passTime(isAsking, 180_000, () => asked.length === 10)
  expect(setAside.has('0')).toBe(false)
  await passTime(isAsking, 60_000, () => state.isOver)
  expect(await pushed).toEqual([])
  // Four times and four times and once more, and the two pushes that passed meanwhile.
  expect(asked).toHaveLength(11)
  expect(setAside.has('0')).toBe(true)
})

/** What stands between a device and its server may answer anything, for seconds or for minutes. */
const troubles: [string, (response: ServerResponse) => void][] = [
  ['500', (response) => block(response, 500)],
  ['200 with a page', (response) => block(response, 200)],
  ['200 without a body', (response) => void response.end()],
  ['200 with {}', (response) => answerJson(response, {})],
  ['200 with []', (response) => answerJson(response, [])],
  ['401', (response) => block(response, 401)],
  ['403', (response) => block(response, 403)],
  ['404', (response) => block(response, 404)],
  ['413', (response) => block(response, 413)],
  ['429', (response) => block(response, 429)],
  ['503', (response) => block(response, 503)],
]

test.for(troubles.flatMap((trouble) => [4, 80].map((seconds) => [...trouble, seconds] as const)))(
  'P6: %s for everything sets nothing aside, and all leaves in its order afterwards',
  async ([, answer, seconds]) => {
    const state = { isOver: false, isBroken: true }
    const taken: string[] = []
    const { push, setAside, backOff, isAsking } = await openTestCalls(
      async (request, response) => {
        const { docs } = (await json(request)) as Pushed
        if (state.isBroken) return answer(response)
        taken.push(...docs.map(({ _id }) => _id))
        answerRows(response, docs)
      },
      { firstMs: 1_000 },
    )
    useVirtualTime()
    const first = push(docs.slice(0, 1))
    await passTime(isAsking, seconds * 500)
    const pushed = Promise.all([first, push(docs.slice(1, 3)), push(docs.slice(3, 4))])
    void pushed.finally(() => {
      state.isOver = true
    })
    await passTime(isAsking, seconds * 500)
    expect(docs.filter(({ _id }) => setAside.has(_id))).toEqual([])
    state.isBroken = false
    backOff.hurry()
    await passTime(isAsking, 60_000, () => state.isOver)
    await pushed
    expect(taken).toEqual(['0', '1', '2', '3'])
    expect(docs.filter(({ _id }) => setAside.has(_id))).toEqual([])
  },
)

test('P6: of two servers that take turns the broken one sets nothing aside', async () => {
  const taken: string[] = []
  const { push, asked, setAside } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as Pushed
    if (asked.length % 2 === 1) return block(response, 500)
    taken.push(...docs.map(({ _id }) => _id))
    answerRows(response, docs)
  })
  for (const doc of docs.slice(0, 3)) await push([doc])
  expect(taken).toEqual(['0', '1', '2'])
  expect(setAside.has('0')).toBe(false)
})

test('a page of a portal in place of an answer is no answer, and nothing is taken for sent', async () => {
  const { push, asked, setAside } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as Pushed
    if (asked.length === 1) return void response.end('<html>Your room?')
    if (asked.length === 2) return answerJson(response, { rows: 'of another shape' })
    answerRows(response, docs)
  })
  await push(docs.slice(0, 8))
  expect(asked.length).toBeGreaterThan(2)
  expect(setAside.has('0')).toBe(false)
})

test('P6 P11: what is set aside is due after a minute, then after twice as long, and whenever it is released', async () => {
  useVirtualTime()
  const told: SetAsideTold[] = []
  const onDue = vi.fn()
  const setAside = createSetAside({ random: () => 0, onDue, onChange: (all) => told.push(all) })
  setAside.put(new Map([['a', { status: 403, text: 'text' }]]))
  expect(setAside.isHeld('a', 'text')).toBe(true)
  expect(setAside.isHeld('a', 'another text')).toBe(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onDue).toHaveBeenCalledTimes(1)
  expect(setAside.isHeld('a', 'text')).toBe(false)
  setAside.put(new Map([['a', { status: 403, text: 'text' }]]))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(setAside.isHeld('a', 'text')).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(setAside.isHeld('a', 'text')).toBe(false)
  setAside.put(new Map([['a', { status: 500, text: 'text' }]]))
  setAside.release()
  expect(setAside.isHeld('a', 'text')).toBe(false)
  // The server has it only once it has answered.
  expect(setAside.has('a')).toBe(true)
  setAside.drop(['a'])
  expect(told.at(0)).toMatchObject({ count: 1, status: 403 })
  expect([...(told.at(0)?.pushes.keys() ?? [])]).toEqual(['a'])
  expect(told.at(-1)).toMatchObject({ count: 0, status: undefined })
})
