import { expect, onTestFinished, test } from 'vitest'
import { toStoredMessage } from '../../database/storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { createPushOrder } from './push-order.ts'

test('P11: what waited behind earlier words and then comes back to its author is owed to nobody', async () => {
  const { database } = await openTestDatabase()
  const order = createPushOrder({
    messages: database.messages,
    listOwed: async (ids) => new Set(ids),
    onBehind: () => {},
  })
  onTestFinished(order.close)
  const words = (number: number) =>
    testMessage(number, { senderId: ann, recipientId: ben, status: 'sending' })
  const [first, second] = [words(1), words(2)]
  await database.messages.bulkInsert([first, second].map((one) => toStoredMessage(one, ann)))
  const offer = () => order.takeFree([second], { begunAt: order.begin(), isOffered: () => true })
  expect(await offer()).toEqual([])
  expect(order.has(second._id)).toBe(true)
  order.recordAnswered(second._id)
  expect(order.has(second._id)).toBe(false)
})
