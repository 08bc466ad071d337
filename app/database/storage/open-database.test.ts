import { forceCloseDatabase } from 'fake-indexeddb'
import { expect, onTestFinished, test } from 'vitest'
import { sendMessage } from '../commands/send-message.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { findNewestMessage } from './find-newest-message.ts'
import { storedMessageSchema } from './stored-message.ts'

test('P1: a connection that the browser closes is opened again by the next call', async () => {
  const { database, context } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  await sendMessage(context, { peerId: ben, content: 'before' })
  const { dexieDb } = await database.messages.internalStorageInstance.internals
  forceCloseDatabase(dexieDb.backendDB() as Parameters<typeof forceCloseDatabase>[0])
  await expect.poll(() => dexieDb.isOpen()).toBe(false)
  await sendMessage(context, { peerId: ben, content: 'after' })
  expect(await findNewestMessage(database.messages, ben)).toMatchObject({ content: 'after' })
})

test('what one tab writes, another reads', async () => {
  const { database, open, context } = await openTestDatabase()
  const second = await open('second')
  onTestFinished(async () => {
    await second.close()
    await database.close()
  })
  const id = await sendMessage(context, { peerId: ben, content: 'hello' })
  expect(await findNewestMessage(second.messages, ben)).toMatchObject({ _id: id })
})

test('every index field is required, as Dexie storage wants it', () => {
  const indexed = storedMessageSchema.indexes?.flat() ?? []
  expect(storedMessageSchema.required).toEqual(expect.arrayContaining([...new Set(indexed)]))
})
