import {
  createRevision,
  getComposedPrimaryKeyOfDocumentData,
  type WithDeleted,
} from 'rxdb/plugins/core'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { Subject } from 'rxjs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { changeDocument } from '../../database/storage/change-document.ts'
import type { MessageCollection } from '../../database/storage/collections.ts'
import { type StoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { idOf, openTestConversation } from '../../database/testing/open-test-conversation.ts'
import { ann } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { createPushFloor, guardReplication } from './guard-replication.ts'
import { offerOwed } from './replication.ts'

/** A replication of one device's messages, in which the server refuses the first for now. */
async function openReplication(before?: { messages: MessageCollection }) {
  const { messages } = before ?? (await openTestConversation({ read: 0, unread: 0 })).database
  const pushed: string[] = []
  /** A push ends no sooner. */
  const line = { isFree: Promise.resolve() }
  const replication = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: 'test',
    collection: messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }) },
    push: {
      async handler(rows) {
        pushed.push(...rows.map(({ newDocumentState }) => newDocumentState._id))
        await line.isFree
        return []
      },
    },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  const floor = createPushFloor()
  const owed = new Set([idOf(1)])
  const onOwed = vi.fn()
  guardReplication(internal, {
    isUntaken: (id) => owed.has(id),
    floor,
    signal: new AbortController().signal,
    onOwed,
    onFailed: (cause) => expect.unreachable(String(cause)),
  })
  async function write(place: number) {
    await messages.insert(toStoredMessage(testMessage(place, { senderId: ann }), ann))
    await expect.poll(() => pushed).toContain(idOf(place))
    await internal.streamQueue.up
  }
  async function writeAt(place: number, ms: number) {
    const message = toStoredMessage(testMessage(place, { senderId: ann }), ann)
    const document = {
      ...{ ...message, _deleted: false, _attachments: {} },
      ...{ _meta: { lwt: Date.now() + ms }, _rev: createRevision('test') },
    }
    // The collection's own writes get times that only rise within one process.
    await messages.storageInstance.originalStorageInstance.bulkWrite([{ document }], 'test')
  }
  async function readFirst() {
    const [stored] = await messages.storageInstance.findDocumentsById([idOf(1)], true)
    return must(stored, 'the first')._meta.lwt
  }
  return {
    ...{ replication, internal, messages, pushed, line },
    floor,
    owed,
    onOwed,
    write,
    writeAt,
    readFirst,
  }
}

test('P11: what is owed is looked at again, however far the checkpoint of RxDB has moved on', async () => {
  const { replication, internal, pushed, floor, owed, write, readFirst } = await openReplication()
  await write(1)
  await write(2)
  replication.reSync()
  await internal.streamQueue.up
  expect(pushed).toEqual([idOf(1), idOf(2)])
  floor.set(await readFirst())
  owed.clear()
  await write(3)
  replication.reSync()
  await expect.poll(() => pushed.toSorted()).toEqual([1, 1, 2, 3].map(idOf))
  expect(floor.isTaken()).toBe(true)
  await internal.streamQueue.up
  floor.set(await readFirst())
  replication.reSync()
  await expect.poll(() => floor.isTaken()).toBe(true)
  await internal.streamQueue.up
  expect(pushed).toHaveLength(4)
})

const [aheadMs, behindMs] = [60_000, -60_000]

test('P11: what a clock that was set back writes just before a scan is offered, though the scan begins after it', async () => {
  const { replication, internal, messages, pushed, line, onOwed, floor, owed, write, writeAt } =
    await openReplication()
  owed.clear()
  await writeAt(1, aheadMs)
  await expect.poll(() => pushed).toEqual([idOf(1)])
  await internal.streamQueue.up
  let free = () => {}
  line.isFree = new Promise((resolve) => {
    free = resolve
  })
  await writeAt(2, aheadMs + 1)
  await expect.poll(() => pushed).toEqual([1, 2].map(idOf))
  expect(onOwed).not.toHaveBeenCalled()
  await writeAt(3, behindMs)
  await expect.poll(() => onOwed).toHaveBeenCalledOnce()
  replication.reSync()
  free()
  await internal.streamQueue.up
  await write(4)
  expect(pushed).toEqual([1, 2, 4].map(idOf))
  const given = { state: replication, collection: messages, identifier: 'test' }
  await offerOwed({ ...given, isSetAside: () => false, floor })
  await expect.poll(() => pushed).toEqual([1, 2, 4, 3].map(idOf))
})

test('P11: what it writes during a scan that began before is offered too', async () => {
  const before = await openReplication()
  before.owed.clear()
  await before.writeAt(1, aheadMs)
  await expect.poll(() => before.pushed).toEqual([idOf(1)])
  await before.internal.streamQueue.up
  await before.replication.cancel()
  await before.writeAt(2, behindMs)
  const { replication, internal, pushed, line, onOwed, floor, writeAt } =
    await openReplication(before)
  await internal.streamQueue.up
  let free = () => {}
  line.isFree = new Promise((resolve) => {
    free = resolve
  })
  floor.set(Date.now() + 2 * behindMs)
  replication.reSync()
  await expect.poll(() => pushed).toEqual([idOf(2)])
  expect(onOwed).not.toHaveBeenCalled()
  await writeAt(3, behindMs)
  await expect.poll(() => onOwed).toHaveBeenCalledOnce()
  free()
})

test('P1: what could not be stored is not noted as stored, also after the replication has ended', async () => {
  const { database } = await openTestConversation({ read: 0, unread: 0 })
  const stream$ = new Subject<{ documents: WithDeleted<StoredMessage>[]; checkpoint: unknown }>()
  const replication = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: 'test',
    collection: database.messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }), stream$ },
    push: { handler: async () => [] },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  await replication.awaitInitialReplication()
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  const { forkInstance, metaInstance } = internal.input
  const failure = new Error('The disk is full.')
  internal.input.forkInstance = Object.create(forkInstance)
  internal.input.forkInstance.bulkWrite = () => Promise.reject(failure)
  const stop = new AbortController()
  const failures: unknown[] = []
  guardReplication(internal, {
    isUntaken: () => false,
    floor: createPushFloor(),
    signal: stop.signal,
    onOwed: () => undefined,
    onFailed: (cause) => failures.push(cause),
  })
  const message = { ...toStoredMessage(testMessage(1), ann), _deleted: false }
  stream$.next({ documents: [message], checkpoint: {} })
  await expect.poll(() => failures).toEqual([failure])
  stop.abort()
  await internal.streamQueue.down
  const note = { itemId: idOf(1), isCheckpoint: '0' as const }
  const key = getComposedPrimaryKeyOfDocumentData(metaInstance.schema, note)
  expect(await metaInstance.findDocumentsById([key], true)).toEqual([])
})

test('P7: how far the server was read is told as it is stored, and after a start', async () => {
  const { database } = await openTestConversation({ read: 0, unread: 0 })
  async function begin() {
    const stream$ = new Subject<{ documents: WithDeleted<StoredMessage>[]; checkpoint: unknown }>()
    const replication = replicateRxCollection<StoredMessage, unknown>({
      replicationIdentifier: 'test',
      collection: database.messages,
      waitForLeadership: false,
      pull: { handler: async () => ({ documents: [], checkpoint: undefined }), stream$ },
    })
    onTestFinished(async () => void (await replication.cancel()))
    await replication.startPromise
    await replication.awaitInitialReplication()
    const readPulled = guardReplication(
      must(replication.internalReplicationState, 'a replication'),
      {
        isUntaken: () => false,
        floor: createPushFloor(),
        signal: new AbortController().signal,
        onOwed: () => undefined,
        onFailed: (cause) => expect.unreachable(String(cause)),
      },
    )
    return { readPulled, stream$, replication }
  }
  const first = await begin()
  expect(first.readPulled()).toBeUndefined()
  const message = { ...toStoredMessage(testMessage(1), ann), _deleted: false }
  first.stream$.next({ documents: [message], checkpoint: { sequence: 8 } })
  await expect.poll(first.readPulled).toEqual({ sequence: 8 })
  await first.replication.cancel()
  const second = await begin()
  await expect.poll(second.readPulled).toEqual({ sequence: 8 })
})

test('P5: what arrives while this device writes something of its own is not lost', async () => {
  const { database } = await openTestConversation({ read: 0, unread: 0 })
  const { messages } = database
  const stream$ = new Subject<{ documents: WithDeleted<StoredMessage>[]; checkpoint: unknown }>()
  const replication = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: 'test',
    collection: messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }), stream$ },
    push: { handler: async () => [] },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  await replication.awaitInitialReplication()
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  const { forkInstance } = internal.input
  let writesBetween = 0
  internal.input.forkInstance = Object.create(forkInstance)
  internal.input.forkInstance.bulkWrite = async (rows, context) => {
    if (writesBetween > 0) {
      writesBetween -= 1
      // Nothing that the server would be told.
      await changeDocument(messages, idOf(1), (stored) => ({ ...stored, starOrder: writesBetween }))
    }
    return await forkInstance.bulkWrite(rows, context)
  }
  guardReplication(internal, {
    isUntaken: () => false,
    floor: createPushFloor(),
    signal: new AbortController().signal,
    onOwed: () => undefined,
    onFailed: (cause) => expect.unreachable(String(cause)),
  })
  const arrive = (content: string, editedAt?: number) => {
    const message = testMessage(1, { content, ...(editedAt !== undefined && { editedAt }) })
    stream$.next({
      documents: [{ ...toStoredMessage(message, ann), _deleted: false }],
      checkpoint: {},
    })
  }
  const read = async () =>
    (await forkInstance.findDocumentsById([idOf(1)], true)).map(({ content }) => content)
  arrive('as it was')
  await expect.poll(read).toEqual(['as it was'])
  writesBetween = 2
  arrive('as it is', testMessage(1).createdAt + 1)
  await expect.poll(read).toEqual(['as it is'])
  expect(writesBetween).toBe(0)
  // It is noted as stored: what comes next is no conflict.
  arrive('as it ends', testMessage(1).createdAt + 2)
  await expect.poll(read).toEqual(['as it ends'])
})

test('P11: what is owed is looked at again where it is the last that was written', async () => {
  const { replication, internal, pushed, floor, owed, write, readFirst } = await openReplication()
  await write(1)
  owed.clear()
  floor.set(await readFirst())
  replication.reSync()
  await expect.poll(() => pushed).toEqual([1, 1].map(idOf))
  await internal.streamQueue.up
})

test.for([
  ['first', 'message 2', 'older'],
  ['second', 'older', 'message 2'],
] as const)(
  'P5: of two notes of one document the one %s, and no one hears of it',
  async ([, first, second]) => {
    const { internal, write } = await openReplication()
    await write(2)
    const notes = internal.input.metaInstance
    const note = { itemId: idOf(2), isCheckpoint: '0' as const }
    const key = getComposedPrimaryKeyOfDocumentData(notes.schema, note)
    const read = async () => must((await notes.findDocumentsById([key], true))[0], 'the note')
    const previous = await read()
    const noteOf = (content: string) => ({
      previous,
      document: {
        ...previous,
        docData: { ...previous.docData, content },
        _rev: createRevision('test', previous),
      },
    })
    const pushed = await notes.bulkWrite([noteOf(first)], 'replication-up-write-conflict-meta')
    expect(pushed.error).toEqual([])
    const arrived = await notes.bulkWrite([noteOf(second)], 'replication-down-write-meta')
    expect(arrived.error).toEqual([])
    expect((await read()).docData.content).toBe('message 2')
  },
)

test('P11: a read that fails holds up nothing of a replication that was ended while it was starting', async () => {
  const { internal } = await openReplication()
  const failing: typeof internal.input.forkInstance = Object.create(internal.input.forkInstance)
  failing.findDocumentsById = () => Promise.reject(new Error('the disk fails'))
  internal.input.forkInstance = failing
  const failures: unknown[] = []
  guardReplication(internal, {
    isUntaken: () => false,
    floor: createPushFloor(),
    signal: AbortSignal.abort(),
    onOwed: () => undefined,
    onFailed: (cause) => failures.push(cause),
  })
  expect(await internal.input.forkInstance.findDocumentsById([idOf(1)], false)).toEqual([])
  expect(failures).toHaveLength(1)
})

test('P11: what was written here while a refused push was merged is offered again', async () => {
  const { database } = await openTestConversation({ read: 0, unread: 0 })
  const { messages } = database
  const answers: WithDeleted<StoredMessage>[] = []
  const replication = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: 'test',
    collection: messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }) },
    push: {
      handler: async () => answers.splice(0),
    },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  await replication.awaitInitialReplication()
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  const { forkInstance } = internal.input
  const overtaking = { before: 'replication-up-write-conflict' }
  internal.input.forkInstance = Object.create(forkInstance)
  internal.input.forkInstance.bulkWrite = async (rows, context) => {
    if (context === overtaking.before) {
      overtaking.before = ''
      await changeDocument(messages, idOf(1), (stored) => ({ ...stored, starOrder: 1 }))
    }
    return await forkInstance.bulkWrite(rows, context)
  }
  const onOwed = vi.fn()
  guardReplication(internal, {
    isUntaken: () => false,
    floor: createPushFloor(),
    signal: new AbortController().signal,
    onOwed,
    onFailed: (cause) => expect.unreachable(String(cause)),
  })
  const message = toStoredMessage(testMessage(1, { senderId: ann, content: 'as it was' }), ann)
  answers.push({ ...message, content: 'as the server has it', _deleted: false })
  await messages.insert(message)
  await expect.poll(() => overtaking.before).toBe('')
  await internal.streamQueue.up
  expect(onOwed).toHaveBeenCalledOnce()
})
