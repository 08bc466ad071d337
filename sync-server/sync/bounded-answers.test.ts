import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { countingReads } from '../storage/testing/counting-reads.ts'
import { startCouch } from '../testing/couch/start-couch.ts'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { openTestRequest, readTestLevel } from '../testing/open-test-request.ts'
import { startTestApp, type TestPerson } from '../testing/start-test-app.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

const stores = ['LevelDB', 'CouchDB'] as const
const opened = new Map<string, TestSync>()
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  const couch = await startCouch()
  opened.set('LevelDB', await startTestSync())
  opened.set('CouchDB', await startTestSync({ couchdbUrl: couch.url }))
  for (const t of opened.values()) closers.push(t.close)
  closers.push(couch.close)
})
afterAll(async () => {
  for (const close of closers) await close()
})

/** What no answer may reveal: a stack, or a file's path. */
const insides = /\bat .+:\d+|node_modules|sync-server\/|\/tmp\/|file:\/\/|127\.0\.0\.1/

describe.each(stores)('on %s', (store) => {
  const t = () => {
    const found = opened.get(store)
    if (!found) throw new Error(`${store} is not there`)
    return found
  }

  async function say(content = 'hello') {
    const message = writeMessage({ senderId: t().ann, recipientId: t().ben, content })
    const request = { actorId: t().ann, proposals: [propose(message)] }
    const [outcome] = await t().acceptance.acceptMessages(request)
    if (outcome?.kind !== 'stored') throw new Error('not stored')
    return { message, rev: outcome.rev }
  }

  /** A replicator's pushes edit it, so that the first revision has grown into another. */
  async function sayAndEdit() {
    const { message, rev } = await say()
    const { body } = await t().call('GET', `messages/${message._id}`)
    const edited = { ...body, content: 'edited', editedAt: Date.now() }
    expect((await t().call('PUT', `messages/${message._id}`, { body: edited })).status).toBe(201)
    const newest = (await t().call('GET', `messages/${message._id}`)).body
    expect(newest._rev).not.toBe(rev)
    return { id: message._id, first: rev, newest }
  }

  test('P12: a revision that nobody knows ends nothing when the latest of it is asked for', async () => {
    const { id } = await sayAndEdit()
    for (const rev of ['1-x', '1-0', '99-abc']) {
      const one = await t().call('GET', `messages/${id}?rev=${rev}&latest=true`)
      expect([one.status, one.body.error]).toEqual([404, 'not_found'])
      const openRevs = encodeURIComponent(JSON.stringify([rev]))
      const leaves = await t().call('GET', `messages/${id}?open_revs=${openRevs}&latest=true`)
      expect([leaves.status, leaves.body]).toEqual([200, [{ missing: rev }]])
      const body = { docs: [{ id, rev }] }
      const many = await t().call('POST', 'messages/_bulk_get?latest=true', { body })
      expect(many.body.results[0].docs[0].error).toMatchObject({ error: 'not_found', rev })
    }
    const unknown = await t().call('GET', `messages/${uuidv7()}?rev=1-x&latest=true`)
    expect(unknown.status).toBe(404)
    expect((await t().call('GET', '')).status).toBe(200)
  })

  test('the latest of a revision is what it has grown into, by every call', async () => {
    const { id, first, newest } = await sayAndEdit()
    const one = await t().call('GET', `messages/${id}?rev=${first}&latest=true`)
    expect(one.body).toEqual(newest)
    const openRevs = encodeURIComponent(JSON.stringify([first, newest._rev]))
    const leaves = await t().call('GET', `messages/${id}?open_revs=${openRevs}&latest=true`)
    expect(leaves.body).toEqual([{ ok: newest }])
    const body = { docs: [{ id, rev: first }] }
    const many = await t().call('POST', 'messages/_bulk_get?latest=true', { body })
    expect(many.body.results).toEqual([{ id, docs: [{ ok: newest }] }])
  })

  test('what cannot be read is refused with words, and shows nothing of the inside', async () => {
    const { message } = await say()
    const path = `messages/${message._id}`
    const tries: [string, string, unknown?][] = [
      ...['x', '1', '-1-a', '1-', '1-ä', 'all', '{}', '1-a,2-b', '[]'].map(
        (rev): [string, string] => ['GET', `${path}?rev=${encodeURIComponent(rev)}`],
      ),
      ['GET', `${path}?rev=1-a&rev=2-b`],
      ...['x', '{}', '[1]', '["x"]', '[null]', '[["1-a"]]', '7', '"1-a"'].map(
        (revs): [string, string] => ['GET', `${path}?open_revs=${encodeURIComponent(revs)}`],
      ),
      ...['abc', '-1', '1.5', '1e3', '{}', '[1,2]', 'null', ' ', '1-ä'].map(
        (since): [string, string] => [
          'GET',
          `messages/_changes?since=${encodeURIComponent(since)}`,
        ],
      ),
      ['GET', 'messages/_changes?limit=abc'],
      ['GET', 'messages/_changes?feed=eventsource'],
      ['GET', 'messages/_all_docs?limit=-1'],
      ['GET', 'messages/_all_docs?startkey=x'],
      ['POST', 'messages/_bulk_get', { docs: [{ id: message._id, rev: 'x' }] }],
      ['POST', 'messages/_bulk_get', { docs: [{ id: 7 }] }],
      ['POST', 'messages/_revs_diff', { [message._id]: ['x'] }],
      ['PUT', 'messages/_local/c', []],
      ['PUT', 'messages/_local/c', { _rev: 'x' }],
      ['PUT', 'messages/_local/c', { _rev: 7 }],
      ['PUT', 'messages/_local/c', { _rev: { a: 1 } }],
      ['PUT', 'messages/_local/c', { _unknown: 1 }],
      ['PUT', `messages/_local/${encodeURIComponent('ä b')}`, {}],
    ]
    for (const [method, address, body] of tries) {
      const answer = await t().call(method, address, body === undefined ? {} : { body })
      expect([answer.status, address, JSON.stringify(body)]).toEqual([
        400,
        address,
        JSON.stringify(body),
      ])
      expect(answer.body).toEqual({
        error: 'bad_request',
        reason: expect.stringMatching(/\w+ \w+/),
      })
      expect(answer.text).not.toMatch(insides)
    }
    expect(t().errors).toEqual([])
  })

  test('a descending read has a maximum of rows', async () => {
    const words = await Promise.all(['one', 'two', 'three'].map(say))
    const ids = new Set(words.map(({ message }) => message._id))
    const path = 'messages/_changes?descending=true'
    for (const limit of ['', '&limit=21', '&limit=1000']) {
      const refused = await t().call('GET', `${path}${limit}`)
      expect([refused.status, refused.body.error]).toEqual([400, 'bad_request'])
      expect(refused.body.reason).toContain('at most 20')
    }
    const { body } = await t().call('GET', `${path}&limit=3`)
    expect(new Set(body.results.map(({ id }: { id: string }) => id))).toEqual(ids)
  })
})

describe('P12: what is asked for again and again in one request', () => {
  const asked = 1_000

  test.each([
    ['_bulk_get', (id: string) => ({ docs: Array.from({ length: asked }, () => ({ id })) })],
    ['_all_docs', (id: string) => ({ keys: Array.from({ length: asked }, () => id) })],
  ] as const)('is read once: %s', async (call, bodyOf) => {
    const reads = countingReads()
    const t = await startTestSync({ wrapLevel: reads.wrap })
    onTestFinished(() => t.close())
    const message = writeMessage({ senderId: t.ann, recipientId: t.ben })
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
    const ask = async (body: object) => {
      const before = reads.count()
      const answer = await t.call('POST', `messages/${call}?include_docs=true`, { body })
      return { rows: answer.body.results ?? answer.body.rows, reads: reads.count() - before }
    }
    /** The server may read keys for itself meanwhile: the least of a few answers has none of these. */
    const askCalmly = async (body: object) => {
      const answers = [await ask(body), await ask(body), await ask(body)]
      return { rows: answers[0]?.rows, reads: Math.min(...answers.map(({ reads }) => reads)) }
    }
    const id = message._id
    await ask(bodyOf(id))
    const once = await askCalmly(call === '_bulk_get' ? { docs: [{ id }] } : { keys: [id] })
    const often = await askCalmly(bodyOf(id))
    expect(often.rows).toEqual(Array.from({ length: asked }, () => once.rows[0]))
    expect(often.reads).toBe(once.reads)
  })

  test('ids that changes are narrowed to have a maximum', async () => {
    const t = await startTestSync()
    onTestFinished(() => t.close())
    const ask = (count: number) =>
      t.call('POST', 'messages/_changes?filter=_doc_ids', {
        body: { doc_ids: Array.from({ length: count }, (_, at) => `id${at}`) },
      })
    expect((await ask(asked)).status).toBe(200)
    expect((await ask(asked + 1)).status).toBe(413)
  })

  test('keys that come again stay in their places, with those that are not there', async () => {
    const t = await startTestSync()
    onTestFinished(() => t.close())
    const messages = Array.from({ length: 20 }, () =>
      writeMessage({ senderId: t.ann, recipientId: t.ben, content: 'x'.repeat(60_000) }),
    )
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: messages.map(propose) })
    const ids = messages.map(({ _id }) => _id)
    const keys = [...ids, 'nobody', ...ids.toReversed(), 'nobody', ...ids]
    const body = { keys, include_docs: true }
    const { rows } = (await t.call('POST', 'messages/_all_docs', { body })).body
    expect(rows.map(({ key }: { key: string }) => key)).toEqual(keys)
    for (const row of rows) {
      if (row.key === 'nobody') expect(row.error).toBe('not_found')
      else expect([row.doc._id, row.doc.content.length]).toEqual([row.key, 60_000])
    }
  })
})

describe('P12: a long answer', () => {
  const documents = 300
  /** Three bytes each. */
  const content = '\u20ac'.repeat(60_000)

  async function openLongHistory(patienceMs: number) {
    const reads = countingReads()
    const app = await startTestApp({}, { wrapLevel: reads.wrap, budget: { patienceMs } })
    onTestFinished(() => app.close())
    const ann = await app.register('Ann')
    const ben = await app.register('Ben')
    for (let count = 0; count < documents; count += 20) {
      const docs = Array.from({ length: 20 }, () => writePushed(ann, ben))
      const answer = await app.call('POST', '/sync/messages/_bulk_docs', {
        token: ann.token,
        body: { docs },
      })
      expect(answer.status).toBe(201)
    }
    return { app, ann, reads }
  }

  const writePushed = (ann: TestPerson, ben: TestPerson) =>
    writeMessage({ senderId: ann.userId, recipientId: ben.userId, content })

  test.each(['_changes?include_docs=true', '_all_docs?include_docs=true'])(
    'is read as far as it is taken, and given up when nobody takes it: %s',
    async (call) => {
      const { app, ann, reads } = await openLongHistory(1_000)
      const { port } = app
      const before = reads.count()
      const path = `/sync/messages/${call}`
      const whole = await app.call('GET', path, { token: ann.token })
      const readForAll = reads.count() - before
      const rows = whole.body.results ?? whole.body.rows
      expect(rows).toHaveLength(documents)

      const begun = reads.count()
      const request = await openTestRequest({ port, path, token: ann.token, isUnread: true })
      await expect.poll(() => reads.count()).toBeGreaterThan(begun)
      await expect.poll(() => readTestLevel(app, 'petrel_open_requests')).toBe(1)
      expect(reads.count() - begun).toBeLessThan(readForAll)
      request.read()
      const { text } = await request.closed
      expect(text.length).toBeLessThan(whole.text.length)
    },
  )
})
