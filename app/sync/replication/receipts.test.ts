import { replicateRxCollection } from 'rxdb/plugins/replication'
import { Subject } from 'rxjs'
import { expect, onTestFinished, test } from 'vitest'
import { blankDeleted } from '../../../schema/blank-deleted.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { setStarred } from '../../database/commands/change-message.ts'
import { subscribeToChanges } from '../../database/storage/collections.ts'
import { type StoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { idOf, openTestConversation } from '../../database/testing/open-test-conversation.ts'
import { ann } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { createReceipts } from './receipts.ts'

/** Ann's device, which receives Ben's messages as from the server. */
async function open() {
  const { database, context } = await openTestConversation({ read: 1, unread: 0 })
  /** The server's answer to the next push. */
  const held: (StoredMessage & { _deleted: boolean })[] = []
  const pulled = new Subject<{
    documents: (StoredMessage & { _deleted: boolean })[]
    checkpoint: { sequence: number }
  }>()
  const replication = replicateRxCollection<StoredMessage, { sequence: number }>({
    replicationIdentifier: 'test',
    collection: database.messages,
    waitForLeadership: false,
    pull: {
      handler: async () => ({ documents: [], checkpoint: { sequence: 0 } }),
      stream$: pulled,
    },
    push: { handler: async () => held.splice(0) },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.awaitInitialReplication()
  function ofServer(id: number, place = id) {
    const message = testMessage(place, { _id: idOf(id), status: 'sent' })
    return { ...toStoredMessage(message, ann), _deleted: false }
  }
  const arrive = (place: number) =>
    pulled.next({ documents: [ofServer(place)], checkpoint: { sequence: place } })
  /** Ann stars a message that the server holds at another place. */
  async function starMoved(id: number, place: number) {
    held.push(ofServer(id, place))
    await setStarred(context, { messageId: idOf(id), isStarred: true })
  }
  const hasArrived = async (place: number) =>
    (await database.messages.findOne(idOf(place)).exec()) !== null
  return { database, arrive, starMoved, hasArrived }
}

async function openWithReceipts(stored: readonly MessageDocument[] = []) {
  const { database, arrive, starMoved, hasArrived } = await open()
  await database.messages.bulkInsert(stored.map((message) => toStoredMessage(message, ann)))
  const marks: { upTo: number; at: number }[] = []
  const stop = subscribeToChanges(database.conversations, ({ documents }) => {
    for (const { deliveredUpTo: upTo } of documents) marks.push({ upTo, at: performance.now() })
  })
  onTestFinished(stop)
  const onError = (cause: unknown) => expect.unreachable(String(cause))
  const receipts = createReceipts({ database, onError })
  onTestFinished(receipts.close)
  return { arrive, starMoved, hasArrived, marks, receipts }
}

test('P12: however fast messages come, a mark is raised three times a second, up to the last of them', async () => {
  const { arrive, hasArrived, marks } = await openWithReceipts()
  for (let place = 2; place <= 60; place += 1) {
    arrive(place)
    await waitUntil('it is here', () => hasArrived(place))
  }
  await waitUntil('the last is told', () => marks.at(-1)?.upTo === 60)
  const gaps = marks.slice(1).map(({ at }, index) => at - (marks[index]?.at ?? 0))
  // A timer may end a moment early.
  for (const gap of gaps) expect(gap).toBeGreaterThan(290)
  expect(marks.length).toBeGreaterThan(1)
})

test('P12: while many are on their way one mark is raised, and another when all are here', async () => {
  const { arrive, hasArrived, marks, receipts } = await openWithReceipts()
  receipts.setComingCount(100)
  arrive(2)
  await waitUntil('the first is told', () => marks.at(-1)?.upTo === 2)
  const until = performance.now() + 1_000
  let place = 2
  while (performance.now() < until) {
    place += 1
    arrive(place)
    await waitUntil('it is here', () => hasArrived(place))
  }
  expect(marks.map(({ upTo }) => upTo)).toEqual([2])
  receipts.setComingCount(0)
  await waitUntil('the last is told', () => marks.at(-1)?.upTo === place)
})

test('P11: a place that a restored server tells in its answer to a push is told as delivered', async () => {
  const { arrive, starMoved, marks } = await openWithReceipts()
  arrive(2)
  await waitUntil('what came is told', () => marks.at(-1)?.upTo === 2)
  await starMoved(1, 70)
  await waitUntil('it is told', () => marks.at(-1)?.upTo === 70)
})

test.each([
  ['that was deleted', 2, 0],
  ['that was deleted, below an own one', 2, 1],
  ['below many own ones', 2, 150],
])(
  'P11: a message %s, whose mark a killed tab left behind, is told at the start',
  async (what, place, ownCount) => {
    const theirs = testMessage(place, { _id: idOf(place), status: 'sent' })
    const isDeleted = what.startsWith('that was deleted')
    const arrived = isDeleted ? blankDeleted({ ...theirs, deletedAt: place + 1 }) : theirs
    const own = Array.from({ length: ownCount }, (_, index) => {
      const id = place + 10 + index
      return testMessage(id, { senderId: ann, _id: idOf(id) })
    })
    const { marks } = await openWithReceipts([arrived, ...own])
    await waitUntil('it is told', () => marks.at(-1)?.upTo === place)
  },
)
