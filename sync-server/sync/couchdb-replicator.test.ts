import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startCouch } from '../testing/couch/start-couch.ts'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let couch: Awaited<ReturnType<typeof startCouch>>
beforeAll(async () => {
  couch = await startCouch()
})
afterAll(() => couch.close())

let t: TestSync
beforeEach(async () => {
  t = await startTestSync()
})
afterEach(async () => {
  await t.close()
  expect(t.errors).toEqual([])
})

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(new URL(path, couch.url), {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return await response.json()
}

/** pouchdb-server takes no headers for `_replicate`, so the token goes as the password. */
function ours(token: string) {
  const url = new URL('messages', t.url)
  url.username = 'token'
  url.password = token
  return url.href
}

describe('the replicator of a CouchDB', () => {
  test('pulls a person’s messages with a token', async () => {
    const messages = Array.from({ length: 30 }, (_, i) =>
      writeMessage({ senderId: t.ben, recipientId: t.ann, content: String(i) }),
    )
    await t.acceptance.acceptMessages({ actorId: t.ben, proposals: messages.map(propose) })
    await ask('PUT', 'backup')
    const source = ours(t.tokens.ann)
    const result = await ask('POST', '_replicate', { source, target: `${couch.url}backup` })
    expect(result).toMatchObject({ ok: true })
    expect(await ask('GET', 'backup')).toMatchObject({ doc_count: 30 })
  })

  test('pushes messages through the same door', async () => {
    const message = writeMessage({ senderId: t.ann, recipientId: t.ben, content: 'from afar' })
    await ask('PUT', 'outbox')
    await ask('PUT', `outbox/${message._id}`, message)
    const target = ours(t.tokens.ann)
    const result = await ask('POST', '_replicate', { source: `${couch.url}outbox`, target })
    expect(result).toMatchObject({ ok: true })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'from afar' }])
  })
})
