import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { changeConversation } from '../commands/change-conversation.ts'
import { changeMessage } from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { readDocuments } from './read-documents.ts'

test('P1: of changes of one message at the same time, in two tabs, none is lost', async () => {
  const { context, database, open } = await openTestDatabase()
  const second = await open('second')
  const id = await sendMessage(context, { peerId: ben, content: 'a' })
  const tabs = [database, second, database, second, database]
  await Promise.all(
    tabs.map(({ messages }) =>
      changeMessage(messages, id, (message) => ({ ...message, content: `${message.content}a` })),
    ),
  )
  const stored = (await readDocuments(second.messages, [id])).get(id)
  expect(must(stored, 'the message').content).toBe('aaaaaa')
})

test('P6: a change that finds no room says so, and can be made again', async () => {
  const disk = createLabDisk()
  const { database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const { conversations } = database
  const pin = () => changeConversation(conversations, ben, (one) => ({ ...one, isPinned: true }))
  disk.fillUp()
  await expect(pin()).rejects.toThrow()
  expect((await readDocuments(conversations, [ben])).size).toBe(0)
  disk.makeRoom()
  await pin()
  expect((await readDocuments(conversations, [ben])).get(ben)?.isPinned).toBe(true)
})

test('what changes nothing writes nothing, so that nothing is pushed for it', async () => {
  const { context, database } = await openTestDatabase()
  const { messages } = database
  const id = await sendMessage(context, { peerId: ben, content: 'hello' })
  const readRevision = async () => (await readDocuments(messages, [id])).get(id)?._rev
  const before = await readRevision()
  await changeMessage(messages, id, (message) => message)
  expect(await readRevision()).toBe(before)
  await changeMessage(messages, id, (message) => ({ ...message, content: 'hello Ben' }))
  expect(await readRevision()).not.toBe(before)
})
