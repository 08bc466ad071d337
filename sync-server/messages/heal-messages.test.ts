import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { interruptUpdates } from '../testing/interrupt-updates.ts'
import { openTestAcceptance, propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { noFiles } from './copies/message-files.ts'
import { healMessages } from './healer.ts'

test('P5 P6: an edit while a hint is replayed stays in both copies', async () => {
  const t = await openTestAcceptance({ isAtomic: false })
  onTestFinished(() => t.close())
  const [authorId, readerId] = [t.ann, t.ben]
  const message = writeMessage({ senderId: authorId, recipientId: readerId })
  const accept = (changes: object) =>
    t.acceptance.acceptMessages({
      actorId: authorId,
      proposals: [propose({ ...message, ...changes })],
    })
  await accept({})
  const sent = must(await t.readMessage(authorId, message._id), 'the author’s copy')
  const edit = async () => {
    await accept({ ...sent, content: 'edited', editedAt: Date.now() })
  }
  await healMessages({
    storage: interruptUpdates(t.storage, nameMessagesDatabase(readerId), edit),
    files: noFiles,
    authorId,
    readerId,
    messages: [{ messageId: message._id, isAmended: true }],
  })
  expect(await t.readMessage(authorId, message._id)).toMatchObject({ content: 'edited' })
  expect(await t.readMessage(readerId, message._id)).toMatchObject({ content: 'edited' })
})
