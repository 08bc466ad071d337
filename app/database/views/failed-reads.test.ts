import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { sendMessage } from '../commands/send-message.ts'
import { subscribeToChanges } from '../storage/collections.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createConversationList } from './conversation-list.ts'
import { createMessageWindow } from './message-window.ts'

test('a row is up to date once the disk can be read again', async () => {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const errors: unknown[] = []
  const list = createConversationList({ database, onError: (error) => errors.push(error) })
  onTestFinished(async () => {
    list.close()
    disk.makeRoom()
    await database.close()
  })
  await sendMessage(context, { peerId: ben, content: 'first' })
  const shown = () => list.conversations.getSnapshot()[0]?.lastMessage?.content
  await expect.poll(shown).toBe('first')
  // At the moment when the list hears of it: later it may have read the row already.
  const stopListening = subscribeToChanges(database.messages, () => disk.fail())
  await sendMessage(context, { peerId: ben, content: 'second' })
  stopListening()
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  disk.makeRoom()
  await expect.poll(shown).toBe('second')
})

test('P6: a chat that cannot be read says so, and is there once the disk can be read again', async () => {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  await sendMessage(context, { peerId: ben, content: 'hello' })
  disk.fail()
  const errors: unknown[] = []
  const view = createMessageWindow({
    database,
    peerId: ben,
    onError: (error) => errors.push(error),
  })
  onTestFinished(async () => {
    view.close()
    disk.makeRoom()
    await database.close()
  })
  const window = () => view.messages.getSnapshot()
  await expect.poll(window).toMatchObject({ isLoaded: false, hasFailed: true, items: [] })
  expect(errors).toHaveLength(1)
  disk.makeRoom()
  await expect.poll(window).toMatchObject({
    isLoaded: true,
    hasFailed: false,
    items: [{ content: 'hello' }],
  })
})

test('a jump into a chat whose first read failed stays where it led', async () => {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const first = await sendMessage(context, { peerId: ben, content: 'first' })
  for (let count = 0; count < 60; count += 1) {
    await sendMessage(context, { peerId: ben, content: 'later' })
  }
  disk.fail()
  const failed = createDeferred<void>()
  const view = createMessageWindow({ database, peerId: ben, onError: () => failed.resolve() })
  onTestFinished(async () => {
    view.close()
    disk.makeRoom()
    await database.close()
  })
  await failed.promise
  disk.makeRoom()
  expect(await view.jumpTo(first)).toBe(true)
  const shown = view.messages.getSnapshot()
  expect(shown).toMatchObject({ isLoaded: true, hasFailed: false, hasNewer: true })
  await view.jumpToTime(0)
  expect(view.messages.getSnapshot()).toEqual(shown)
})
