import { replicateRxCollection } from 'rxdb/plugins/replication'
import { expect, onTestFinished, test } from 'vitest'
import { messageDocument } from '../../schema/message.ts'
import { must } from '../../schema/must.ts'
import { idOf, openTestConversation } from '../database/open-test-conversation.ts'
import { ann, ben } from '../database/open-test-database.ts'
import { type StoredMessage, toStoredMessage } from '../database/stored-message.ts'
import { guardReplication } from './guard-replication.ts'
import { createPushFloor } from './push-floor.ts'

/** A replication of one device's messages, in which the first is refused for now. */
async function openReplication() {
  const { database } = await openTestConversation({ read: 0, unread: 0 })
  const { messages } = database
  const pushed: string[] = []
  const replication = replicateRxCollection<StoredMessage, unknown>({
    ...{ replicationIdentifier: 'test', collection: messages, waitForLeadership: false },
    pull: { handler: async () => ({ documents: [], checkpoint: {} }) },
    push: {
      async handler(rows) {
        pushed.push(...rows.map(({ newDocumentState }) => newDocumentState._id))
        return []
      },
    },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  const floor = createPushFloor()
  const owed = new Set([idOf(1)])
  guardReplication(internal, {
    ...{ isUntaken: (id) => owed.has(id), floor, signal: new AbortController().signal },
    onFailed: (cause) => expect.unreachable(String(cause)),
  })
  async function write(place: number) {
    const message = messageDocument.parse({
      ...{ _id: idOf(place), peerId: ben, senderId: ann, recipientId: ben, status: 'sending' },
      ...{ content: `message ${place}`, createdAt: place, orderedAt: place },
    })
    await messages.insert(toStoredMessage(message))
    await expect.poll(() => pushed).toContain(idOf(place))
    await internal.streamQueue.up
  }
  async function readFirst() {
    const [stored] = await messages.storageInstance.findDocumentsById([idOf(1)], true)
    return must(stored, 'the first')._meta.lwt
  }
  return { replication, internal, pushed, floor, owed, write, readFirst }
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

test('P11: what is owed is looked at again where it is the last that was written', async () => {
  const { replication, internal, pushed, floor, owed, write, readFirst } = await openReplication()
  await write(1)
  owed.clear()
  floor.set(await readFirst())
  replication.reSync()
  await expect.poll(() => pushed).toEqual([1, 1].map(idOf))
  await internal.streamQueue.up
})
