import { expect, onTestFinished, test } from 'vitest'
import { createLabDisk } from '../../lab/device/lab-disk.ts'
import { sendMessage } from '../commands/send-message.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createConversationList } from './conversation-list.ts'

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
  await sendMessage(context, { peerId: ben, content: 'second' })
  disk.fail()
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  disk.makeRoom()
  await expect.poll(shown).toBe('second')
})
