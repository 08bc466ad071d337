import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { createRxDatabase, type RxConflictHandler } from 'rxdb/plugins/core'
import { replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { areMessagesEqual, mergeMessages } from '../../schema/merge-messages.ts'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { permitMessageChange } from '../../schema/permit-message-change.ts'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let t: TestSync
const closing: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  t = await startTestSync()
})
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
  await t.close()
  expect(t.errors).toEqual([])
})

const schema = {
  version: 0,
  primaryKey: '_id',
  type: 'object',
  properties: { _id: { type: 'string', maxLength: 36 } },
  required: ['_id'],
} as const

/** A device's conflict resolution: its own version, as far as it may change the server's. */
function createConflictHandler(actorId: string): RxConflictHandler<MessageDocument> {
  return {
    isEqual: (a, b) => areMessagesEqual(a, b),
    resolve: async ({ realMasterState, newDocumentState }) => {
      const stored = messageDocument.parse(realMasterState)
      const proposed = messageDocument.safeParse(newDocumentState)
      // A document it cannot read itself was returned to it, with the reason.
      if (!proposed.success) return { ...stored, _deleted: false }
      const change = { actorId, stored, proposed: proposed.data, now: Date.now() }
      const { next } = permitMessageChange(change)
      return { ...mergeMessages(stored, next), _deleted: false }
    },
  }
}

/** RxDB with its CouchDB plugin, as published. @param conflictHandler none: RxDB's own, which takes what the server has */
async function openDevice(options: {
  token: string
  conflictHandler?: RxConflictHandler<MessageDocument>
  change?: typeof fetch
}) {
  const { token, conflictHandler, change } = options
  const database = await createRxDatabase({
    name: `device${closing.length}`,
    storage: getRxStorageDexie({ indexedDB: new IDBFactory(), IDBKeyRange }),
    multiInstance: false,
  })
  closing.push(() => database.close())
  const messages = { schema, ...(conflictHandler && { conflictHandler }) }
  const added = await database.addCollections({ messages })
  const replication = replicateCouchDB<MessageDocument>({
    replicationIdentifier: 'messages',
    collection: added.messages as never,
    url: `${t.url}messages/`,
    waitForLeadership: false,
    live: true,
    retryTime: 50,
    pull: { batchSize: 100 },
    push: { batchSize: 100 },
    fetch: async (url, init = {}) => {
      const headers = { ...(init.headers ?? {}), authorization: `Bearer ${token}` }
      return await (change ?? fetch)(url, { ...init, headers })
    },
  })
  const failures: unknown[] = []
  replication.error$.subscribe((error) => {
    if (error.code === 'RC_PUSH' || error.code === 'RC_PULL') failures.push(error)
  })
  closing.push(() => replication.cancel())
  return {
    failures,
    insert: (message: MessageDocument) => added.messages.insert(message),
    async change(id: string, fields: Partial<MessageDocument>) {
      const found = await added.messages.findOne(id).exec()
      await found?.incrementalPatch(fields)
    },
    async read(): Promise<MessageDocument[]> {
      const found = await added.messages.find().exec()
      return found
        .map((doc) => doc.toMutableJSON() as unknown as MessageDocument)
        .sort((a, b) => a.orderedAt - b.orderedAt)
    },
    synced: () => replication.awaitInSync(),
  }
}

const openAnn = (change?: typeof fetch) =>
  openDevice({
    token: t.tokens.ann,
    conflictHandler: createConflictHandler(t.ann),
    ...(change && { change }),
  })
const openBen = () =>
  openDevice({ token: t.tokens.ben, conflictHandler: createConflictHandler(t.ben) })
const fromAnn = (content: string) => writeMessage({ senderId: t.ann, recipientId: t.ben, content })
type Device = Awaited<ReturnType<typeof openDevice>>

async function waitForContents(device: Device, contents: string[]) {
  const read = async () => (await device.read()).map(({ content }) => content)
  await expect.poll(read).toEqual(contents)
}

describe('RxDB’s CouchDB replication', () => {
  test('carries messages both ways, live', async () => {
    const [ann, ben] = [await openAnn(), await openBen()]
    await Promise.all([ann.synced(), ben.synced()])
    await ann.insert(fromAnn('ping'))
    await waitForContents(ben, ['ping'])
    await ben.insert(writeMessage({ senderId: t.ben, recipientId: t.ann, content: 'pong' }))
    await waitForContents(ann, ['ping', 'pong'])
    await expect.poll(ann.read).toMatchObject([{ status: 'sent' }, {}])
    expect([...ann.failures, ...ben.failures]).toEqual([])
  })

  test('catches up with what was missed', async () => {
    const messages = Array.from({ length: 350 }, (_, i) => ({
      ...fromAnn(String(i)),
      orderedAt: i,
    }))
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: messages.map(propose) })
    const ben = await openBen()
    await ben.synced()
    expect(await ben.read()).toHaveLength(350)
  })

  test('P2: whose answers are lost after the server has stored sends once', async () => {
    const lost = { left: 3 }
    const ann = await openAnn(async (url, init) => {
      const response = await fetch(url, init)
      if (!String(url).includes('_bulk_docs') || lost.left === 0) return response
      lost.left -= 1
      throw new TypeError('the answer was lost')
    })
    await ann.synced()
    const message = fromAnn('once')
    await ann.insert(message)
    await expect.poll(ann.read).toMatchObject([{ status: 'sent' }])
    expect(lost.left).toBe(0)
    expect(await t.readMessages(t.ben)).toHaveLength(1)
  })

  test('P6: a refused message does not hold up the next, nor what comes in', async () => {
    const [ann, ben] = [await openAnn(), await openBen()]
    await Promise.all([ann.synced(), ben.synced()])
    await ann.insert({ ...fromAnn('forged'), senderId: t.ben })
    await ann.insert({ ...fromAnn('poison'), orderedAt: 'soon' } as never)
    await ann.insert(fromAnn('good'))
    await waitForContents(ben, ['good'])
    await ben.insert(writeMessage({ senderId: t.ben, recipientId: t.ann, content: 'answer' }))
    const find = async () =>
      (await ann.read()).map(({ status, content }) => `${status} ${content}`).sort()
    await expect
      .poll(find)
      .toEqual(['delivered answer', 'failed forged', 'failed poison', 'sent good'])
    expect(ann.failures).toEqual([])
  })

  test('P6: with its own conflict handler tells the author of a refusal too, and goes on', async () => {
    const ann = await openDevice({ token: t.tokens.ann })
    const ben = await openBen()
    await Promise.all([ann.synced(), ben.synced()])
    await ann.insert({ ...fromAnn('forged'), senderId: t.ben })
    await ann.insert({ ...fromAnn('poison'), orderedAt: 'soon' } as never)
    const good = fromAnn('good')
    await ann.insert(good)
    await waitForContents(ben, ['good'])
    const find = async () =>
      (await ann.read()).map(({ status, content }) => `${status} ${content}`).sort()
    await expect.poll(find).toEqual(['failed forged', 'failed poison', 'sent good'])
    await ann.change(good._id, { content: 'better', editedAt: Date.now() })
    await waitForContents(ben, ['better'])
    expect(ann.failures).toEqual([])
  })

  test('P5: two devices that change the same message meet in one version', async () => {
    const message = fromAnn('first')
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
    const devices = [await openAnn(), await openAnn()]
    await Promise.all(devices.map((device) => device.synced()))
    const at = Date.now()
    await devices[0]?.change(message._id, { content: 'edited', editedAt: at })
    await devices[1]?.change(message._id, { isStarred: true, isStarredAt: at })
    for (const device of devices) {
      await expect.poll(device.read).toMatchObject([{ content: 'edited', isStarred: true }])
    }
    await expect
      .poll(() => t.readMessages(t.ben))
      .toMatchObject([{ content: 'edited', isStarred: false }])
  })
})
