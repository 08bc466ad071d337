import { expect, test, vi } from 'vitest'
import { createDeferred } from '../../schema/create-deferred.ts'
import { answerJson, openTestFetch, readQuery } from './open-test-fetch.ts'
import { createServerVersions } from './server-versions.ts'

test('the live feed begins where the catch-up ended, not at now', async () => {
  const { send, url, asked } = await openTestFetch((request, response) =>
    answerJson(response, { results: [], last_seq: request.url?.includes('longpoll') ? 8 : '7+a' }),
  )
  const live = send(`${url}_changes?feed=longpoll&since=now&limit=20`)
  await send(`${url}_changes?feed=normal&since=3&limit=20`)
  await (await live).json()
  expect(asked).toEqual([
    'GET /sync/messages/_changes?feed=normal&since=3&limit=20',
    'GET /sync/messages/_changes?feed=longpoll&since=7%2Ba&limit=20',
  ])
})

test('P9: what the line has missed is asked for at once, and nothing waits beside it', async () => {
  const line = { isOpen: true, missed: 2, places: [] as string[] }
  const { send, url, asked } = await openTestFetch(
    (request, response) => {
      const since = Number(readQuery(request).get('since'))
      const count = since === 7 ? 0 : 2
      const results = Array.from({ length: count }, (_, n) => ({
        id: `${since + n}`,
        doc: { _id: `${since + n}` },
      }))
      answerJson(response, { results, last_seq: since + Math.max(count, 1) })
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
  const poll = async (since: number) => {
    const response = await send(`${url}_changes?feed=longpoll&since=${since}&limit=2`)
    return (await response.json()).last_seq
  }
  // Nothing new at 7, and at 8 a full page: the next one is asked for before anything is waited for.
  expect(await poll(7)).toBe(10)
  expect(await poll(10)).toBe(12)
  line.isOpen = false
  expect(await poll(12)).toBe(14)
  expect(asked.map((one) => one.replace('GET /sync/messages/_changes?', ''))).toEqual([
    'feed=normal&since=7&limit=2',
    'feed=normal&since=8&limit=2',
    'feed=normal&since=10&limit=2',
    'feed=longpoll&since=12&limit=2',
  ])
  expect(line.places).toEqual(['7', '8'])
})

test('a page is not asked for while two wait to be stored', async () => {
  const results = Array.from({ length: 2_000 }, (_, n) => ({ id: `${n}`, doc: { _id: `${n}` } }))
  const { send, url, asked, stored } = await openTestFetch(
    (request, response) => {
      const since = Number(readQuery(request).get('since'))
      answerJson(response, { results, last_seq: since + 2_000 })
    },
    { pageRows: 2_000 },
  )
  const pull = (since: number) => send(`${url}_changes?feed=normal&since=${since}&limit=2000`)
  await pull(0)
  await pull(2_000)
  const third = pull(4_000)
  // Another request goes there and back meanwhile.
  await send(`${url}_local/checkpoint`)
  const pulls = () => asked.filter((line) => line.includes('_changes'))
  expect(pulls()).toHaveLength(2)
  stored.place = 2_000
  await third
  expect(pulls()).toHaveLength(3)
})

test.for([404, 429, 500, 503])('an answer of %i never reaches the plugin', async (status) => {
  const { send, url, outcomes } = await openTestFetch((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no"}')
  })
  await expect(send(`${url}_changes?feed=longpoll&since=1&limit=20`)).rejects.toThrow(`${status}`)
  expect(outcomes).toEqual(['refusing'])
})

test('an answer that is no JSON, and a connection that breaks, never reach the plugin', async () => {
  const { send, url, outcomes } = await openTestFetch((request, response) => {
    if (request.url?.includes('longpoll')) request.socket.destroy()
    else response.end('<html>Sign in to this hotel')
  })
  await expect(send(`${url}_changes?feed=normal&since=1&limit=20`)).rejects.toThrow()
  await expect(send(`${url}_changes?feed=longpoll&since=1&limit=20`)).rejects.toThrow()
  expect(outcomes).toEqual(['refusing', 'unreachable'])
})

test('after 401 nothing is asked again, and nothing is told as an error', async () => {
  const { send, url, asked, outcomes, stop } = await openTestFetch((_request, response) => {
    response.writeHead(401).end('{}')
  })
  const answered = send(`${url}_changes?feed=normal&since=1&limit=20`)
  await expect.poll(() => outcomes.length).toBeGreaterThan(0)
  stop.abort(new Error('signed out'))
  await expect(answered).rejects.toThrow('signed out')
  expect(outcomes).toEqual(['signed-out'])
  expect(asked).toHaveLength(1)
})

test('a poll that waits ends at once with the replication', async () => {
  const arrived = vi.fn()
  const { send, url, stop } = await openTestFetch(() => arrived())
  const waiting = send(`${url}_changes?feed=longpoll&since=1&limit=20`)
  await expect.poll(() => arrived.mock.calls.length).toBeGreaterThan(0)
  stop.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
})

test("the clock goes by the server's, and the token goes with every request", async () => {
  const tokens: (string | undefined)[] = []
  const { send, url, clock } = await openTestFetch((request, response) => {
    tokens.push(request.headers.authorization)
    answerJson(response, { results: [], last_seq: 1 }, { 'x-petrel-now': '7201000' })
  })
  await send(`${url}_changes?feed=normal&since=1&limit=20`)
  expect(clock.now()).toBe(7_201_000)
  expect(tokens).toEqual(['Bearer a token'])
})

test('the clock is set when the head of an answer comes, not when its slow body has come', async () => {
  const end = createDeferred()
  const { send, url, clock } = await openTestFetch(async (_request, response) => {
    response.writeHead(200, { 'x-petrel-now': '7201000' }).write('{"results":[],')
    await end.promise
    response.end('"last_seq":1}')
  })
  const answered = send(`${url}_changes?feed=longpoll&since=1&limit=20`)
  await expect.poll(() => clock.now()).toBe(7_201_000)
  end.resolve()
  await answered
})

test('nothing is looked up before a push; conflicts are read with their ids in a body', async () => {
  const { send, url, asked } = await openTestFetch((_request, response) =>
    answerJson(response, { rows: [] }),
  )
  const body = JSON.stringify({ keys: ['a', 'b'], include_docs: true })
  const rows = await (await send(`${url}_all_docs?`, { method: 'POST', body })).json()
  expect(rows).toEqual({
    rows: [
      { key: 'a', error: 'not_found' },
      { key: 'b', error: 'not_found' },
    ],
  })
  expect(asked).toEqual([])
  await send(`${url}_all_docs?include_docs=true&keys=["a","b"]`)
  expect(asked).toEqual(['POST /sync/messages/_all_docs?include_docs=true'])
})

test('an answer of another epoch never reaches the plugin; the first one that is told is taken', async () => {
  const epochs = ['first', 'other']
  const { send, url, told } = await openTestFetch(
    (_request, response) =>
      answerJson(
        response,
        { results: [], last_seq: 1 },
        { 'x-petrel-epoch': epochs.shift() ?? '' },
      ),
    { epoch: 'first' },
  )
  const pull = () => send(`${url}_changes?feed=normal&since=0&limit=20`)
  await pull()
  const arrived = vi.fn()
  pull().then(arrived, () => {})
  await expect.poll(() => told).toEqual(['first', 'other'])
  expect(arrived).not.toHaveBeenCalled()
})

test('the epoch that the device knows goes with every request', async () => {
  const { send, url, asked } = await openTestFetch(
    (request, response) => {
      asked.push(String(request.headers['x-petrel-epoch']))
      answerJson(response, { results: [], last_seq: 1 })
    },
    { epoch: 'known' },
  )
  await send(`${url}_changes?feed=normal&since=0&limit=20`)
  expect(asked[1]).toBe('known')
})

test('P12: of what is offered again, only what the server lacks leaves the device, once all is known', async () => {
  const versions = createServerVersions()
  const bodies: unknown[] = []
  const { send, url, asked } = await openTestFetch(
    async (request, response) => {
      if (request.method === 'GET') {
        const held = { _id: 'held', content: 'the same', _rev: '1-a' }
        const old = { _id: 'old', content: 'before', _rev: '1-b' }
        const results = [held, old].map((doc) => ({ id: doc._id, doc }))
        return answerJson(response, { results, last_seq: 2 })
      }
      let body = ''
      for await (const part of request) body += part
      const { docs } = JSON.parse(body) as { docs: { _id: string }[] }
      bodies.push(...docs)
      answerJson(
        response,
        docs.map(({ _id }) => ({ ok: true, id: _id, rev: '2-a' })),
      )
    },
    { versions },
  )
  const docs = [
    { _id: 'old', content: 'after', _deleted: false },
    { content: 'the same', _id: 'held', _deleted: false },
    { _id: 'lost', content: 'only here', _deleted: false },
  ]
  const push = (offered: object[]) =>
    send(`${url}_bulk_docs?`, { method: 'POST', body: JSON.stringify({ docs: offered }) })
  const pushed = push(docs)
  await send(`${url}_changes?feed=normal&since=0&limit=20`)
  const rows = (await (await pushed).json()) as { id: string; ok: boolean }[]
  expect(rows.map(({ id, ok }) => [id, ok])).toEqual([
    ['old', true],
    ['held', true],
    ['lost', true],
  ])
  expect(bodies).toEqual([docs[0], docs[2]])
  expect(asked.map((line) => line.split(' ')[0])).toEqual(['GET', 'POST'])
  // Whoever changes it again changes it for the server too.
  await push([{ _id: 'held', content: 'the same', _deleted: false }])
  expect(bodies).toHaveLength(3)
})

test.for([
  {},
  [],
  null,
  { results: 3, last_seq: 1 },
  { results: [{ id: 'a' }], last_seq: 1 },
  { results: [] },
  { error: 'not ours' },
])('a 200 that says %j is told and never reaches the plugin', async (body) => {
  const { send, url, outcomes } = await openTestFetch((_request, response) =>
    answerJson(response, body),
  )
  await expect(send(`${url}_changes?feed=normal&since=1&limit=20`)).rejects.toThrow()
  expect(outcomes).toEqual(['refusing'])
})

test('a 401 that was said of an earlier sign-in ends no later one', async () => {
  const state = { token: 'old' }
  const { send, url, asked, outcomes } = await openTestFetch(
    (request, response) => {
      state.token = 'new'
      if (request.headers.authorization === 'Bearer new') {
        return answerJson(response, { results: [], last_seq: 1 })
      }
      response.writeHead(401).end('{}')
    },
    { readToken: () => state.token },
  )
  await send(`${url}_changes?feed=normal&since=1&limit=20`)
  expect(asked).toHaveLength(2)
  expect(outcomes).toEqual(['reached'])
})
