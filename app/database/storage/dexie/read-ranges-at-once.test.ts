import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { messageDocument } from '../../../../schema/message.ts'
import { ann, ben, openTestDatabase } from '../../testing/open-test-database.ts'
import { readMessagePage } from '../../views/read-message-page.ts'
import { toStoredMessage } from '../stored-message.ts'

async function openWithMessages(places: readonly number[]) {
  const { database } = await openTestDatabase()
  await database.messages.bulkInsert(
    places.map((orderedAt) =>
      toStoredMessage(
        messageDocument.parse({
          _id: createId(),
          content: `at ${orderedAt}`,
          createdAt: 1,
          orderedAt,
          peerId: ben,
          senderId: ben,
          recipientId: ann,
        }),
        ann,
      ),
    ),
  )
  const read = async (request: Partial<Parameters<typeof readMessagePage>[1]>) => {
    const page = { peerId: ben, from: 'newest' as const, clearedUpTo: 0, limit: 10, ...request }
    return (await readMessagePage(database.messages, page)).map(({ orderedAt }) => orderedAt)
  }
  return { database, read }
}

test('a range is read in the order of its index, up to its limit, with both its ends', async () => {
  const { read } = await openWithMessages([10, 30, 20, 40])
  expect(await read({})).toEqual([40, 30, 20, 10])
  expect(await read({ limit: 2 })).toEqual([40, 30])
  expect(await read({ from: { olderThan: 30 }, clearedUpTo: 10 })).toEqual([30, 20])
  expect(await read({ from: { newerThan: 20 } })).toEqual([20, 30, 40])
})

test('the documents are those that RxDB itself reads', async () => {
  const { database } = await openWithMessages([10, 20])
  const page = { peerId: ben, from: 'newest' as const, clearedUpTo: 0, limit: 10 }
  const found = await readMessagePage(database.messages, page)
  const ids = found.map(({ _id }) => _id)
  const stored = await database.messages.storageInstance.findDocumentsById(ids, false)
  expect(found).toHaveLength(2)
  expect(found).toEqual(expect.arrayContaining(stored))
})

test('a range that ends before it begins holds nothing', async () => {
  const { read } = await openWithMessages([10, 20])
  expect(await read({ from: { olderThan: 10 }, clearedUpTo: 15 })).toEqual([])
})

test('a failed read rejects, and blocks no one', async () => {
  const { database, read } = await openWithMessages([10])
  await database.close()
  await expect(read({})).rejects.toMatchObject({ name: 'DatabaseClosedError' })
})
