import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let t: TestSync
beforeEach(async () => {
  t = await startTestSync()
})
afterEach(async () => {
  await t.close()
  expect(t.errors).toEqual([])
})

describe('_changes', () => {
  test('gives rows in order, from where the client stands', async () => {
    for (const content of ['1', '2', '3']) await t.push(t.fromAnn(content))
    const first = await t.call('GET', 'messages/_changes?limit=2&include_docs=true&style=all_docs')
    const contents = (answer: typeof first) =>
      answer.body.results.map(({ doc }: { doc: { content: string } }) => doc.content)
    expect(contents(first)).toEqual(['1', '2'])
    const since = first.body.last_seq
    const rest = await t.call('GET', `messages/_changes?include_docs=true&since=${since}`)
    expect(contents(rest)).toEqual(['3'])
    const none = await t.call('GET', `messages/_changes?since=${rest.body.last_seq}`)
    expect(none.body).toEqual({ results: [], last_seq: rest.body.last_seq })
    const posted = await t.call('POST', 'messages/_changes?filter=_doc_ids', {
      body: { doc_ids: [rest.body.results[0].id] },
    })
    expect(posted.body.results).toHaveLength(1)
  })

  test('leaves revisions out for who asks for bare documents, and nothing else', async () => {
    await t.push(t.fromAnn('1'), t.fromAnn('2'))
    const read = (query: string) => t.call('GET', `messages/_changes?${query}`)
    const full = await read('include_docs=true')
    const bare = await read('include_docs=true&bare=true')
    expect(bare.body).toEqual({
      ...full.body,
      results: full.body.results.map(({ seq, doc }: { seq: number; doc: { _rev: string } }) => {
        const { _rev, ...said } = doc
        return { seq, doc: said }
      }),
    })
    expect((await read('bare=true')).body).toEqual((await read('')).body)
  })

  test('gives the newest first, but never everything in one piece', async () => {
    for (const content of ['1', '2', '3']) await t.push(t.fromAnn(content))
    const read = (query: string) => t.call('GET', `messages/_changes?descending=true${query}`)
    const newest = await read('&limit=2&include_docs=true')
    const contents = newest.body.results.map(({ doc }: { doc: { content: string } }) => doc.content)
    expect(contents).toEqual(['3', '2'])
    for (const query of ['', '&limit=501', '&include_docs=true']) {
      const refused = await read(query)
      expect([refused.status, refused.body.error]).toEqual([400, 'bad_request'])
    }
  })

  test('begins again for a checkpoint of another history', async () => {
    await t.push(t.fromAnn())
    for (const since of ['999', '12-g1AAAA']) {
      const answer = await t.call('GET', `messages/_changes?since=${since}`)
      expect(answer.body.results).toHaveLength(1)
    }
  })

  test('a long poll waits for the next message, and hears of nothing twice', async () => {
    await t.push(t.fromAnn())
    const waiting = t.call('GET', 'messages/_changes?feed=longpoll&since=now&include_docs=true')
    await expect.poll(() => t.storage.signals.countWaiting()).toBe(1)
    await t.sendAs(t.ben, 'news')
    const { results, last_seq } = (await waiting).body
    expect(results).toMatchObject([{ doc: { content: 'news', senderId: t.ben } }])
    const next = t.call('GET', `messages/_changes?feed=longpoll&since=${last_seq}&timeout=50`)
    expect((await next).body).toEqual({ results: [], last_seq })
  })

  test('a long poll misses nothing that is written while it looks', async () => {
    const received: string[] = []
    const reading = (async () => {
      let since = 0
      while (received.length < 50) {
        const path = `messages/_changes?feed=longpoll&limit=3&include_docs=true&since=${since}`
        const { body } = await t.call('GET', path)
        for (const { doc } of body.results) received.push(doc.content)
        since = body.last_seq
      }
    })()
    for (let i = 0; i < 50; i += 1) await t.sendAs(t.ben, String(i))
    await reading
    expect(received).toEqual(Array.from({ length: 50 }, (_, i) => String(i)))
  })

  test.each(['normal', 'longpoll'])(
    'P7: a long poll does not wait for what a %s page before it left behind',
    async (feed) => {
      for (const content of ['1', '2', '3']) await t.push(t.fromAnn(content))
      const page = await t.call('GET', `messages/_changes?feed=${feed}&limit=2&since=0`)
      const since = page.body.last_seq
      const rest = await t.call(
        'GET',
        `messages/_changes?feed=longpoll&timeout=1000&since=${since}`,
      )
      expect(rest.body.results).toHaveLength(1)
    },
  )

  test('P9: people who wait in silence hold no database open', async () => {
    await t.push(t.fromAnn())
    const { last_seq } = (await t.call('GET', 'messages/_changes')).body
    const polls = Array.from({ length: 20 }, () =>
      t.call('GET', `messages/_changes?feed=longpoll&heartbeat=60000&since=${last_seq}`),
    )
    await expect.poll(() => t.storage.signals.countWaiting()).toBe(20)
    await expect.poll(() => t.storage.stats().open).toBe(0)
    await t.sendAs(t.ben, 'awake')
    for (const poll of polls) expect((await poll).body.results).toHaveLength(1)
  })

  test('a continuous feed goes on, with heartbeats as line breaks', async () => {
    const response = await fetch(
      new URL('messages/_changes?feed=continuous&heartbeat=1000&since=0&include_docs=true', t.url),
      { headers: { authorization: `Bearer ${t.tokens.ann}` } },
    )
    const lines = readLines(response)
    for (const content of ['1', '2']) {
      await t.sendAs(t.ben, content)
      expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ doc: { content } })
    }
    await lines.return(undefined)
    await expect.poll(() => t.storage.signals.countWaiting()).toBe(0)
  })

  test('refuses what it does not understand', async () => {
    for (const query of [
      'feed=eventsource',
      'limit=-1',
      'limit=x',
      'since=1&since=2',
      'heartbeat=x',
    ]) {
      const answer = await t.call('GET', `messages/_changes?${query}`)
      expect(answer.status, query).toBe(400)
      expect(answer.body).toMatchObject({ error: 'bad_request', reason: expect.any(String) })
    }
    expect((await t.call('GET', 'messages/_changes?filter=x/y')).status).toBe(403)
  })
})

async function* readLines(response: Response): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  return undefined
}
