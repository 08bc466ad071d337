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

describe('a push', () => {
  test('says ok to what it wrote, and conflict to what the client has yet to learn', async () => {
    const message = t.fromAnn()
    const first = await t.push(message)
    expect(first.status).toBe(201)
    expect(first.body).toEqual([{ ok: true, id: message._id, rev: expect.any(String) }])
    const again = await t.push(message)
    expect(again.body).toMatchObject([{ id: message._id, error: 'conflict' }])
    const read = await t.call('GET', `messages/${message._id}`)
    const same = await t.push(read.body)
    expect(same.body).toMatchObject([{ ok: true, id: message._id }])
  })

  test('P6: a poison document holds nobody up', async () => {
    const poison = { ...t.fromAnn(), createdAt: 'yesterday' }
    const rows = await t.push(t.fromAnn(), poison, 'nonsense', { _id: '_design/x' }, t.fromAnn())
    expect(rows.body).toMatchObject([
      { ok: true },
      { error: 'conflict', id: poison._id },
      { error: 'forbidden' },
      { id: '_design/x', error: 'forbidden' },
      { ok: true },
    ])
    expect((await t.readMessages(t.ben)).length).toBe(2)
  })

  test('P6: of what the rule refuses is a conflict, whose stored version has the text and the reason', async () => {
    const forged = { ...t.fromAnn('forged'), senderId: t.ben }
    for (const rows of [await t.push(forged), await t.push(forged)]) {
      expect(rows.body).toMatchObject([{ id: forged._id, error: 'conflict' }])
    }
    const put = await t.call('PUT', `messages/${forged._id}`, { body: forged })
    expect(put).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const { body } = await t.call('GET', `messages/${forged._id}`)
    expect(body).toMatchObject({ status: 'failed', content: 'forged', errorCode: 'wrong_sender' })

    const message = t.fromAnn('first')
    await t.push(message)
    await t.push({ ...message, status: 'sent', content: '', deletedAt: Date.now() })
    const edit = { ...message, status: 'sent', content: 'too late', editedAt: Date.now() + 60_000 }
    expect((await t.push(edit)).body).toMatchObject([{ id: message._id, error: 'conflict' }])
    expect((await t.call('GET', `messages/${message._id}`)).body).toMatchObject({
      content: '',
      refused: { code: 'deleted', content: 'too late' },
    })
  })

  test('of a document under a hostile name is refused', async () => {
    for (const _id of ['__proto__', '_local/x', '../x', 'A', '', 7, null]) {
      const rows = await t.push({ ...t.fromAnn(), _id })
      expect(rows.body).toMatchObject([{ error: 'forbidden' }])
    }
  })

  test('of a removal leaves the message where it is', async () => {
    const message = t.fromAnn()
    await t.push(message)
    const rows = await t.push({ _id: message._id, _deleted: true })
    expect(rows.body).toMatchObject([{ error: 'conflict' }])
    const unknown = await t.push({ _id: t.fromAnn()._id, _deleted: true })
    expect(unknown.body).toMatchObject([{ ok: true }])
    expect(await t.readMessages(t.ann)).toHaveLength(1)
  })
})

describe('_all_docs', () => {
  test('answers keys in their order, also such as nothing has', async () => {
    const message = t.fromAnn()
    await t.push(message)
    const keys = ['nothing', message._id, '_local/x', '__proto__']
    const body = { keys, include_docs: true, deleted: 'ok' }
    const posted = await t.call('POST', 'messages/_all_docs?', { body })
    expect(posted.body.rows).toMatchObject([
      { key: 'nothing', error: 'not_found' },
      { id: message._id, doc: { content: 'hello', _rev: expect.any(String) } },
      { key: '_local/x', error: 'not_found' },
      { key: '__proto__', error: 'not_found' },
    ])
    const asked = `messages/_all_docs?include_docs=true&keys=${JSON.stringify(keys)}`
    expect((await t.call('GET', asked)).body).toEqual(posted.body)
  })

  test('answers a range', async () => {
    const ids = [t.fromAnn(), t.fromAnn(), t.fromAnn()].map(({ _id }) => _id).sort()
    await t.push(...ids.map((_id) => ({ ...t.fromAnn(), _id })))
    const key = (at: number) => encodeURIComponent(JSON.stringify(ids[at]))
    const range = await t.call('GET', `messages/_all_docs?startkey=${key(1)}&limit=2`)
    expect(range.body.rows.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1))
    const down = await t.call(
      'GET',
      `messages/_all_docs?descending=true&startkey=${key(2)}&endkey=${key(0)}&inclusive_end=false`,
    )
    expect(down.body.rows.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
  })

  test('answers a range of any length, in pages that fit together', async () => {
    const ids = Array.from({ length: 1_203 }, () => t.fromAnn()._id).sort()
    await t.push(...ids.slice(0, 1_000).map((_id) => ({ ...t.fromAnn(), _id })))
    await t.push(...ids.slice(1_000).map((_id) => ({ ...t.fromAnn(), _id })))
    const read = async (query: string) => {
      const { body } = await t.call('GET', `messages/_all_docs?${query}`)
      return body.rows.map(({ id }: { id: string }) => id)
    }
    expect(await read('')).toEqual(ids)
    expect(await read('descending=true')).toEqual(ids.toReversed())
    expect(await read('skip=700&limit=400')).toEqual(ids.slice(700, 1_100))
  })
})

describe('P8: whose data is whose', () => {
  const paths = [
    ['GET', ''],
    ['GET', 'messages/'],
    ['GET', 'messages/_changes'],
    ['POST', 'messages/_all_docs'],
    ['POST', 'messages/_bulk_docs'],
    ['GET', 'messages/_local/x'],
    ['PUT', 'conversations/x'],
    ['GET', '_all_dbs'],
    ['GET', 'anything'],
  ] as const

  test('without a token there is nothing, whatever the path', async () => {
    for (const [method, path] of paths) {
      for (const token of [null, 'forged', `${t.tokens.ann}x`]) {
        const answer = await t.call(method, path, { token })
        expect(answer.status, path).toBe(401)
        expect(answer.body).toMatchObject({ error: 'unauthorized' })
      }
    }
  })

  test('a token as the password of a URL is a token like any other', async () => {
    const ask = async (token: string) => {
      const login = Buffer.from(`anybody:${token}`).toString('base64')
      const headers = { authorization: `Basic ${login}` }
      return (await fetch(new URL('messages/', t.url), { headers })).status
    }
    expect(await ask(t.tokens.ann)).toBe(200)
    expect(await ask(`${t.tokens.ann}x`)).toBe(401)
  })

  test('no path leads to another database', async () => {
    await t.sendAs(t.ben, 'for Ann')
    const bens = `messages-${t.ben}`
    const tries = [
      bens,
      `${bens}/_changes`,
      `messages/..%2f${bens}/_changes`,
      `messages%2f..%2f${bens}`,
      `messages/%2e%2e/${bens}/_changes`,
      `%6dessages-${t.ben}/_all_docs`,
      'accounts/_all_docs',
      'orders/_changes',
      '_users/_all_docs',
      '_all_dbs',
      '_session',
      'Messages/_changes',
      'messages//_changes',
      'messages/_design/x/_view/y',
      `messages/_changes/../../${bens}`,
      '__proto__/_changes',
      'constructor',
    ]
    for (const path of tries) {
      const answer = await t.call('GET', path)
      expect([403, 404], `${path}: ${answer.text}`).toContain(answer.status)
      expect(answer.body).toMatchObject({ error: expect.any(String), reason: expect.any(String) })
    }
    const own = await t.call('GET', 'messages/_all_docs?include_docs=true', { token: t.tokens.ben })
    expect(own.body.rows).toMatchObject([{ doc: { peerId: t.ann } }])
  })

  test('admin calls, design documents and attachments are refused', async () => {
    const { _id } = t.fromAnn()
    const tries = [
      ['DELETE', 'messages'],
      ['POST', 'messages'],
      ['POST', 'messages/_compact'],
      ['POST', 'messages/_find'],
      ['PUT', 'messages/_security'],
      ['POST', 'messages/_purge'],
      ['PUT', 'messages/_design/x'],
      ['DELETE', `messages/${_id}`],
      ['PUT', `messages/${_id}/file.txt`],
      ['POST', 'messages/_temp_view'],
    ] as const
    for (const [method, path] of tries) {
      const answer = await t.call(method, path, { body: {} })
      expect(answer.status, path).toBe(403)
      expect(answer.body).toMatchObject({ error: 'forbidden' })
    }
    expect((await t.call('PUT', 'messages')).body).toMatchObject({ error: 'file_exists' })
  })

  test('two people with the same checkpoint id have each their own', async () => {
    const path = 'messages/_local/same'
    const put = (token: string, body: unknown) => t.call('PUT', path, { token, body })
    const first = await put(t.tokens.ann, { seq: 1 })
    expect(first).toMatchObject({ status: 201, body: { ok: true, id: '_local/same' } })
    expect((await t.call('GET', path, { token: t.tokens.ben })).status).toBe(404)
    expect((await put(t.tokens.ann, { seq: 2 })).status).toBe(409)
    expect((await put(t.tokens.ann, { seq: 2, _rev: first.body.rev })).status).toBe(201)
    expect((await t.call('GET', path)).body).toMatchObject({ _id: '_local/same', seq: 2 })
  })
})

describe('hostile bodies', () => {
  test('end in a 4xx in the form of CouchDB', async () => {
    const tries = [
      ['{"docs":', 400],
      ['[]', 400],
      ['{"docs":{}}', 400],
      ['null', 400],
      [`{"docs":${'['.repeat(100)}${']'.repeat(100)}}`, 400],
      [`{"docs":[${'{},'.repeat(1000)}{}]}`, 413],
      [`{"docs":["${'x'.repeat(9 * 1024 * 1024)}"]}`, 413],
    ] as const
    for (const [text, status] of tries) {
      const answer = await t.call('POST', 'messages/_bulk_docs', { text })
      expect(answer.status, text.slice(0, 40)).toBe(status)
      expect(answer.body).toMatchObject({ error: expect.any(String), reason: expect.any(String) })
    }
  })

  test('of the other calls too', async () => {
    for (const path of ['_bulk_get', '_revs_diff', '_all_docs', '_changes', '_local/x']) {
      for (const text of ['{', '"x"', '[1]', '{"docs":[1],"keys":7,"x":7,"since":{}}']) {
        const method = path === '_local/x' ? 'PUT' : 'POST'
        const answer = await t.call(method, `messages/${path}`, { text })
        expect(answer.status, `${path} ${text} ${answer.text}`).toBeLessThan(500)
      }
    }
    const proto = await t.call('POST', 'messages/_revs_diff', { text: '{"__proto__":["1-a"]}' })
    expect(proto.text).toBe('{"__proto__":{"missing":["1-a"]}}\n')
  })
})
