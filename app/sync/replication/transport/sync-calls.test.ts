import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { apiErrors } from '../../../../schema/api/api-error.ts'
import { wireHeader, wireVersion } from '../../../../schema/api/wire.ts'
import { createDeferred } from '../../../../schema/helpers/deferred.ts'
import { answerJson, answerRows, openTestCalls } from '../testing/open-test-calls.ts'

const page = { path: '_changes?feed=normal&since=1&limit=20' }
const poll = { path: '_changes?feed=longpoll&since=1&limit=20', heartbeatMs: 10_000 }

test.for([404, 429, 500, 503])('after an answer of %i it is asked again', async (status) => {
  const { ask, asked, outcomes } = await openTestCalls((_request, response) => {
    if (asked.length > 1) return answerJson(response, { last_seq: 7 })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no"}')
  })
  expect(await ask(page)).toEqual({ last_seq: 7 })
  expect(outcomes).toEqual(['refusing', 'reached'])
})

test('so it is after an answer that is no JSON, and when a connection breaks', async () => {
  const { ask, asked, outcomes } = await openTestCalls((request, response) => {
    if (asked.length === 1) return void response.end('<html>Sign in to this hotel')
    if (asked.length === 2) return void request.socket.destroy()
    answerJson(response, { last_seq: 7 })
  })
  expect(await ask(page)).toEqual({ last_seq: 7 })
  expect(outcomes).toEqual(['refusing', 'unreachable', 'reached'])
})

const outdated = '{"error":"app_outdated","reason":"Update to go on."}'

test('every request tells the version of the app', async () => {
  const told: unknown[] = []
  const { ask } = await openTestCalls((request, response) => {
    told.push(request.headers[wireHeader])
    answerJson(response, {})
  })
  await ask(page)
  await ask({ path: '_bulk_docs', body: '{"docs":[]}', isPush: true })
  expect(told).toEqual([String(wireVersion), String(wireVersion)])
})

test('an app that is too old waits as for a server that is away, and sets nothing aside', async () => {
  const { push, asked, outcomes, backOff, setAside } = await openTestCalls(
    async (request, response) => {
      const { docs } = (await json(request)) as { docs: { _id: string }[] }
      if (asked.length > 2)
        return answerJson(
          response,
          docs.map(({ _id: id }) => ({ id, ok: true })),
        )
      response.writeHead(426, { 'content-type': 'application/json' }).end(outdated)
    },
    { firstMs: 60_000 },
  )
  const pushed = push([{ _id: 'one' }, { _id: 'two' }])
  await expect.poll(() => outcomes).toEqual(['outdated'])
  expect(asked).toHaveLength(1)
  backOff.hurry()
  await expect.poll(() => outcomes).toEqual(['outdated', 'outdated'])
  expect(asked).toHaveLength(2)
  backOff.hurry()
  expect(await pushed).toEqual([])
  expect(['one', 'two'].filter(setAside.has)).toEqual([])
})

test("a portal's 426 is its own: the push is set aside as after any refusal", async () => {
  const { push, outcomes, setAside } = await openTestCalls(async (request, response) => {
    const { docs } = (await json(request)) as { docs: { _id: string }[] }
    if (docs.length === 0) return answerRows(response, docs)
    response.writeHead(426).end('<html>Upgrade your browser')
  })
  expect(await push([{ _id: 'one' }])).toEqual([])
  expect(outcomes).not.toContain('outdated')
  expect(setAside.has('one')).toBe(true)
})

/** As the server says it beneath `/sync`. */
const signedOut = JSON.stringify({
  error: 'unauthorized',
  reason: apiErrors.session_ended.error,
})

test('after 401 nothing is asked again, and nothing is told as an error', async () => {
  const { ask, asked, outcomes, stop } = await openTestCalls((_request, response) => {
    response.writeHead(401).end(signedOut)
  })
  const answered = ask(page)
  await expect.poll(() => outcomes.length).toBeGreaterThan(0)
  stop.abort(new Error('signed out'))
  await expect(answered).rejects.toThrow('signed out')
  expect(outcomes).toEqual(['signed-out'])
  expect(asked).toHaveLength(1)
})

test('a 401 that was said of an earlier sign-in ends no later one', async () => {
  const state = { token: 'old' }
  const { ask, asked, outcomes } = await openTestCalls(
    (request, response) => {
      state.token = 'new'
      if (request.headers.authorization === 'Bearer new') return answerJson(response, {})
      response.writeHead(401).end(signedOut)
    },
    { readToken: () => state.token },
  )
  await ask(page)
  expect(asked).toHaveLength(2)
  expect(outcomes).toEqual(['reached'])
})

test.each([
  '{}',
  '<html>Your password for this network?',
  '{"error":"unauthorized","reason":"No."}',
])('P1: a 401 of something on the way, %s, ends no sign-in: it is asked again', async (body) => {
  const { ask, asked, outcomes } = await openTestCalls((_request, response) => {
    if (asked.length > 1) return answerJson(response, {})
    response.writeHead(401).end(body)
  })
  await ask(page)
  expect(outcomes).toEqual(['refusing', 'reached'])
})

test('P12: what is pushed and was too much for now is offered later, and no failure', async () => {
  const { ask, asked, outcomes } = await openTestCalls(async (request, response) => {
    const body = await json(request)
    if (asked.length > 1) return answerJson(response, body)
    response.writeHead(429, { 'retry-after': '1' }).end('{}')
  })
  expect(await ask({ path: '_bulk_docs', body: '{"docs":[]}', isPush: true })).toEqual({ docs: [] })
  expect(outcomes).toEqual(['reached', 'reached'])
})

test('a poll that waits ends at once with the replication', async () => {
  const arrived = vi.fn()
  const { ask, stop } = await openTestCalls(() => arrived())
  const waiting = ask(poll)
  await expect.poll(() => arrived.mock.calls.length).toBeGreaterThan(0)
  stop.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
})

test("the clock goes by the server's, and the token goes with every request", async () => {
  const tokens: (string | undefined)[] = []
  const { ask, clock } = await openTestCalls((request, response) => {
    tokens.push(request.headers.authorization)
    answerJson(response, {}, { 'x-petrel-now': '7201000' })
  })
  await ask(page)
  expect(clock.now()).toBe(7_201_000)
  expect(tokens).toEqual(['Bearer a token'])
})

test('the clock is set when the head of an answer comes, not when its slow body has come', async () => {
  const end = createDeferred()
  const { ask, clock } = await openTestCalls(async (_request, response) => {
    response.writeHead(200, { 'x-petrel-now': '7201000' }).write('{"results":[],')
    await end.promise
    response.end('"last_seq":1}')
  })
  const answered = ask(poll)
  await expect.poll(() => clock.now()).toBe(7_201_000)
  end.resolve()
  await answered
})

test('an answer of another epoch is not given; the first one that is told is taken', async () => {
  const epochs = ['first', 'other']
  const { ask, told } = await openTestCalls(
    (_request, response) => answerJson(response, {}, { 'x-petrel-epoch': epochs.shift() ?? '' }),
    { epoch: 'first' },
  )
  await ask(page)
  const arrived = vi.fn()
  ask(page).then(arrived, () => {})
  await expect.poll(() => told).toEqual(['first', 'other'])
  expect(arrived).not.toHaveBeenCalled()
})

test('the epoch that the device knows goes with every request', async () => {
  const { ask, asked } = await openTestCalls(
    (request, response) => {
      asked.push(String(request.headers['x-petrel-epoch']))
      answerJson(response, {})
    },
    { epoch: 'known' },
  )
  await ask(page)
  expect(asked[1]).toBe('known')
})
