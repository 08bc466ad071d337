import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createPlaces } from './open-database.ts'
import { toStoredMessage } from './stored-message.ts'

function messageAt(orderedAt: number): MessageDocument {
  const ends = { peerId: ben, senderId: ben, recipientId: ann }
  return messageDocument.parse({
    _id: createId(),
    content: 'hello',
    createdAt: 1,
    orderedAt,
    ...ends,
  })
}

test('a message goes behind the newest, also one that arrived since the last', async () => {
  const { database } = await openTestDatabase()
  await database.messages.insert(toStoredMessage(messageAt(500), ann))
  expect(await database.places.nextOrderedAt(ben)).toBe(501)
  await database.messages.insert(toStoredMessage(messageAt(900), ann))
  expect(await database.places.nextOrderedAt(ben)).toBe(901)
})

test('a message that arrives while the newest is read is not missed', async () => {
  const { database } = await openTestDatabase()
  const taking = database.places.nextOrderedAt(ben)
  const arriving = database.messages.insert(toStoredMessage(messageAt(900), ann))
  await Promise.all([taking, arriving])
  expect(await database.places.nextOrderedAt(ben)).toBeGreaterThan(900)
})

test('messages that are sent at once have places of their own, in their order', async () => {
  const { database } = await openTestDatabase()
  const { nextOrderedAt } = database.places
  expect(await Promise.all([nextOrderedAt(ben), nextOrderedAt(ben), nextOrderedAt(ben)])).toEqual([
    1, 2, 3,
  ])
})

test('what another tab writes is followed', async () => {
  const { database, open } = await openTestDatabase()
  await database.places.nextOrderedAt(ben)
  const second = await open('second')
  await second.messages.insert(toStoredMessage(messageAt(900), ann))
  await expect.poll(() => database.places.nextOrderedAt(ben)).toBeGreaterThan(900)
})

test('a reading that failed is done again for the next message', async () => {
  const { database } = await openTestDatabase()
  const { messages, conversations } = database
  const trouble = new Error('The device does not answer.')
  let fails = true
  const storageInstance = new Proxy(messages.storageInstance, {
    get(target, key) {
      if (key === 'query' && fails) return () => Promise.reject(trouble)
      return Reflect.get(target, key)
    },
  })
  const broken = new Proxy(messages, {
    get: (target, key) =>
      key === 'storageInstance' ? storageInstance : Reflect.get(target, key, target),
  })
  const places = createPlaces({ messages: broken, conversations })
  await expect(places.nextOrderedAt(ben)).rejects.toBe(trouble)
  fails = false
  expect(await places.nextOrderedAt(ben)).toBe(1)
})
