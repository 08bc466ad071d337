import { expect, onTestFinished, test, vi } from 'vitest'
import { changeMessage } from '../../database/commands/change-message.ts'
import { toStoredMessage } from '../../database/storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { createPendingFiles } from './pending-files.ts'

test('a file that another tab sends while what waits is read holds nothing back', async () => {
  const { database } = await openTestDatabase()
  const { messages } = database
  const sides = { peerId: ben, senderId: ann, recipientId: ben }
  const file = { name: 'boat.jpg', mimeType: 'image/jpeg', size: 10 }
  const message = testMessage(1_000, { ...sides, type: 'image', status: 'sending', file })
  await messages.insert(toStoredMessage(message, ann))
  const pending = createPendingFiles(messages)
  const { storageInstance } = messages
  const query = storageInstance.query.bind(storageInstance)
  const reading = vi.spyOn(storageInstance, 'query').mockImplementationOnce(async (asked) => {
    const found = await query(asked)
    await changeMessage(messages, message._id, (now) => ({
      ...now,
      status: 'sent',
      mediaUrl: '/api/media/boat',
    }))
    return found
  })
  onTestFinished(() => reading.mockRestore())
  await pending.ready()
  expect(pending.get(message._id)).toBeUndefined()
  expect(pending.listOwed()).toEqual([])
})
