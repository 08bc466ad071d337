import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PouchDB from 'pouchdb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

type Database = PouchDB.Database<MessageDocument>
type Requests = { method: string; path: string }[]

let t: TestSync
let folder: string
let requests: Requests
beforeEach(async () => {
  t = await startTestSync()
  folder = await mkdtemp(join(tmpdir(), 'petrel-pouchdb-'))
  requests = []
})
afterEach(async () => {
  await t.close()
  await rm(folder, { recursive: true })
  expect(t.errors).toEqual([])
})

/** Stock PouchDB's remote beneath `/sync`, with a token or none. */
function openRemote(token: string | undefined, path = 'messages'): Database {
  return new PouchDB<MessageDocument>(`${t.url}${path}`, {
    fetch: (url, options = {}) => {
      const { pathname } = new URL(String(url))
      requests.push({ method: options.method ?? 'GET', path: pathname })
      const headers = new Headers(options.headers)
      if (token) headers.set('authorization', `Bearer ${token}`)
      return PouchDB.fetch(url, { ...options, headers })
    },
  })
}

const openLocal = (name = 'local'): Database => new PouchDB<MessageDocument>(join(folder, name))

async function sendAs(actorId: string, ...contents: string[]) {
  const recipientId = actorId === t.ann ? t.ben : t.ann
  const messages = contents.map((content, at) =>
    writeMessage({ senderId: actorId, recipientId, content, orderedAt: at }),
  )
  await t.acceptance.acceptMessages({ actorId, proposals: messages.map(propose) })
  return messages
}

const fromAnn = (content: string) => writeMessage({ senderId: t.ann, recipientId: t.ben, content })

async function readContents(database: Database): Promise<string[]> {
  const { rows } = await database.allDocs({ include_docs: true })
  return rows.map(({ doc }) => doc?.content ?? '').sort()
}

async function countLeaves(database: Database, id: string): Promise<number> {
  const leaves = await database.get(id, { open_revs: 'all' })
  return leaves.filter((leaf) => 'ok' in leaf && !('_deleted' in leaf.ok)).length
}

describe('stock PouchDB', () => {
  test('pulls a person’s messages with a token', async () => {
    await sendAs(t.ben, ...Array.from({ length: 250 }, (_, i) => `message ${i}`))
    const local = openLocal()
    const result = await local.replicate.from(openRemote(t.tokens.ann))
    expect(result).toMatchObject({ ok: true, docs_written: 250, doc_write_failures: 0 })
    expect((await local.info()).doc_count).toBe(250)
  })

  test('P8: gets nothing without a token, and nobody else’s with one', async () => {
    await sendAs(t.ben, 'for Ann')
    const local = openLocal()
    await expect(local.replicate.from(openRemote(undefined))).rejects.toMatchObject({ status: 401 })
    for (const path of [`messages-${t.ben}`, 'accounts', 'orders', `messages%2F..%2Faccounts`]) {
      const remote = openRemote(t.tokens.ann, path)
      await expect(local.replicate.from(remote)).rejects.toThrow()
    }
    expect((await local.info()).doc_count).toBe(0)
  })

  test('goes on from its checkpoint', async () => {
    await sendAs(t.ben, '1', '2')
    const local = openLocal()
    await local.replicate.from(openRemote(t.tokens.ann))
    await sendAs(t.ben, '3')
    requests = []
    const result = await local.replicate.from(openRemote(t.tokens.ann))
    expect(result).toMatchObject({ docs_read: 1, docs_written: 1 })
    expect(requests.filter(({ path }) => path.includes('/_local/')).length).toBeGreaterThan(0)
    const none = await local.replicate.from(openRemote(t.tokens.ann))
    expect(none.docs_read).toBe(0)
  })

  test('follows a document that is removed and made again, in one line of revisions', async () => {
    const [message] = await sendAs(t.ben, 'first')
    const id = message?._id ?? ''
    const stored = t.storage.database(nameMessagesDatabase(t.ann))
    const body = { ...(await t.readMessage(t.ann, id)), _id: id }
    const write = (put: { _id: string }) =>
      stored.update([id], () => ({ put: [put], result: null }))
    const local = openLocal()
    const remote = openRemote(t.tokens.ann)
    for (const content of ['second', 'third']) {
      await local.replicate.from(remote)
      await write({ _id: id, _deleted: true } as { _id: string })
      await local.replicate.from(remote)
      await expect(local.get(id)).rejects.toMatchObject({ status: 404 })
      await write({ ...body, content } as { _id: string })
      await local.replicate.from(remote)
      expect(await local.get(id)).toMatchObject({ content })
    }
    for (const database of [local, remote]) {
      expect(await database.get(id, { open_revs: 'all' })).toHaveLength(1)
    }
  })

  test('pushes: the message is sent, and the tree of its author grows by one', async () => {
    const local = openLocal()
    const remote = openRemote(t.tokens.ann)
    const message = fromAnn('from PouchDB')
    await local.put(message)
    const pushed = await local.replicate.to(remote)
    expect(pushed).toMatchObject({ docs_written: 1, doc_write_failures: 0 })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'from PouchDB' }])

    await local.replicate.from(remote)
    const own = await local.get(message._id, { revs: true })
    expect(own).toMatchObject({ status: 'sent', _revisions: { start: 2 } })
    expect(await countLeaves(local, message._id)).toBe(1)

    const again = await local.replicate.to(remote)
    expect(again.docs_written).toBe(0)
  })

  test('pushes edits on what it pulled, and both sides keep one leaf', async () => {
    const local = openLocal()
    const remote = openRemote(t.tokens.ann)
    const [message] = await sendAs(t.ann, 'first')
    const id = message?._id ?? ''
    for (const content of ['second', 'third', 'fourth']) {
      await local.sync(remote)
      const before = await local.get(id)
      await local.put({ ...before, content, editedAt: Date.now() })
    }
    // Both directions run at once: the next sync pulls the results of the push.
    await local.sync(remote)
    await local.sync(remote)
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'fourth' }])
    expect(await countLeaves(local, id)).toBe(1)
    expect(await countLeaves(remote, id)).toBe(1)
  })

  test('P5: two that edited the same message offline meet in one version', async () => {
    const [message] = await sendAs(t.ann, 'first')
    const id = message?._id ?? ''
    const phones = [openLocal('one'), openLocal('two')]
    const remote = openRemote(t.tokens.ann)
    for (const phone of phones) await phone.replicate.from(remote)
    const start = Date.now() - 1_000
    for (const [at, phone] of phones.entries()) {
      const before = await phone.get(id)
      await phone.put({ ...before, content: `edit ${at}`, editedAt: start + at })
    }
    for (const phone of phones) await phone.sync(remote)
    for (const phone of phones) await phone.sync(remote)
    for (const phone of phones) {
      expect(await phone.get(id)).toMatchObject({ content: 'edit 1' })
      expect(await countLeaves(phone, id)).toBe(1)
    }
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'edit 1' }])
  })

  test('P5: one that was away for longer than the server keeps revisions meets it in one version', async () => {
    const [message] = await sendAs(t.ann, 'first')
    const id = message?._id ?? ''
    const [away, remote] = [openLocal(), openRemote(t.tokens.ann)]
    await away.replicate.from(remote)
    const start = Date.now() - 1_000
    for (let edit = 1; edit <= 60; edit += 1) {
      await remote.put({ ...(await remote.get(id)), content: `${edit}`, editedAt: start + edit })
    }
    await away.put({ ...(await away.get(id)), content: 'from away', editedAt: start + 500 })
    for (let turn = 0; turn < 3; turn += 1) await away.sync(remote)
    expect(await away.get(id)).toMatchObject({ content: 'from away' })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'from away' }])
    expect(await countLeaves(remote, id)).toBe(1)
    expect(await countLeaves(away, id)).toBe(1)
    expect(await away.replicate.to(remote)).toMatchObject({ docs_written: 0 })
  })

  test('P6: a refused message comes back with its text; one that has no place is denied', async () => {
    const local = openLocal()
    const remote = openRemote(t.tokens.ann)
    const forged = { ...fromAnn('forged'), senderId: t.ben }
    const good = fromAnn('good')
    await local.bulkDocs([forged, { ...fromAnn('x'), _id: 'not-a-uuid' }, good])
    const denied: unknown[] = []
    const push = local.replicate.to(remote)
    push.on('denied', (error) => denied.push(error))
    await push
    expect(denied).toHaveLength(1)
    await local.replicate.from(remote)
    expect(await local.get(forged._id)).toMatchObject({ status: 'failed', content: 'forged' })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'good' }])
  })

  test('P6: that only writes learns of a refusal by a conflict, and reads the reason', async () => {
    const remote = openRemote(t.tokens.ann)
    const forged = { ...fromAnn('forged'), senderId: t.ben }
    await expect(remote.put(forged)).rejects.toMatchObject({ status: 409, name: 'conflict' })
    const error = expect.any(String)
    expect(await remote.get(forged._id)).toMatchObject({ status: 'failed', error })
    const rows = await remote.bulkDocs([{ ...fromAnn('x'), senderId: t.ben }, fromAnn('good')])
    expect(rows).toMatchObject([{ error: 'conflict' }, { ok: true }])
  })

  test('a removal is taken back: messages are deleted by a field', async () => {
    const local = openLocal()
    const remote = openRemote(t.tokens.ann)
    const [message] = await sendAs(t.ann, 'stays')
    await local.replicate.from(remote)
    await local.remove(await local.get(message?._id ?? ''))
    await local.replicate.to(remote)
    await local.replicate.from(remote)
    expect(await readContents(local)).toEqual(['stays'])
    expect(await t.readMessages(t.ann)).toHaveLength(1)
  })

  test('syncs live, both ways', async () => {
    const [anns, bens] = [openLocal('ann'), openLocal('ben')]
    const syncs = [
      anns.sync(openRemote(t.tokens.ann), { live: true, retry: true }),
      bens.sync(openRemote(t.tokens.ben), { live: true, retry: true }),
    ]
    await anns.put(fromAnn('ping'))
    await expect.poll(() => readContents(bens)).toEqual(['ping'])
    await bens.put(writeMessage({ senderId: t.ben, recipientId: t.ann, content: 'pong' }))
    await expect.poll(() => readContents(anns)).toEqual(['ping', 'pong'])
    const readStatuses = async () => {
      const { rows } = await anns.allDocs({ include_docs: true })
      return rows.map(({ doc }) => doc?.status).sort()
    }
    await expect.poll(readStatuses).toEqual(['delivered', 'sent'])
    const ended = syncs.map((sync) => new Promise((resolve) => sync.on('complete', resolve)))
    for (const sync of syncs) sync.cancel()
    await Promise.all(ended)
  })

  test('keeps conversations, whose marks become receipts', async () => {
    const [message] = await sendAs(t.ben, 'read me')
    const conversations = openRemote(t.tokens.ann, 'conversations') as unknown as PouchDB.Database<{
      readUpTo: number
    }>
    const conversation = await conversations.get(t.ben)
    const orderedAt = (await t.readMessage(t.ben, message?._id ?? ''))?.orderedAt ?? 0
    await conversations.put({ ...conversation, readUpTo: orderedAt })
    const bens = openRemote(t.tokens.ben, 'conversations')
    expect(await bens.get(t.ann)).toMatchObject({ peerReadUpTo: orderedAt })
  })
})
