import { expect, test } from 'vitest'
import { must } from '../../schema/must.ts'
import { editMessage } from './commands/edit-message.ts'
import { sendMessage } from './commands/send-message.ts'
import { ben, openTestDatabase } from './open-test-database.ts'
import { openOwedNotes } from './owed-notes.ts'
import { readDocuments } from './read-documents.ts'

test('P11: what is changed while the server takes it stays noted as owed', async () => {
  const { context, database } = await openTestDatabase()
  const { messages } = database
  const notes = await openOwedNotes(messages)
  const [same, edited] = [
    await sendMessage(context, { peerId: ben, content: 'one' }),
    await sendMessage(context, { peerId: ben, content: 'two' }),
  ]
  const taken = [...(await readDocuments(messages, [same, edited])).values()]
  expect(taken).toHaveLength(2)
  await editMessage(context, { messageId: edited, content: 'two, edited meanwhile' })
  await notes.drop(taken)
  expect(await notes.read()).toEqual([edited])
  const now = must((await readDocuments(messages, [edited])).get(edited), 'the edited one')
  await notes.drop([now])
  expect(await notes.read()).toEqual([])
})
