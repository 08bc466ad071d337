import { replicateRxCollection } from 'rxdb/plugins/replication'
import { Subject } from 'rxjs'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../../schema/message.ts'
import { editMessage, setStarred } from '../../commands/change-message.ts'
import { sendMessage } from '../../commands/send-message.ts'
import { ann, ben, openTestDatabase } from '../../testing/open-test-database.ts'
import { testMessage } from '../../testing/test-message.ts'
import { readDocuments } from '../read-documents.ts'
import { type StoredMessage, toStoredMessage } from '../stored-message.ts'
import { openOwedNotes } from './owed-notes.ts'

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

test('P11: a newer version from the server is owed once it is changed here, and not before', async () => {
  const { context, database } = await openTestDatabase()
  const { messages } = database
  const arriving = new Subject<{ documents: ReturnType<typeof alive>[]; checkpoint: object }>()
  const replication = replicateRxCollection<StoredMessage, object>({
    replicationIdentifier: 'test',
    collection: messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }), stream$: arriving },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.awaitInitialReplication()
  const message = testMessage(1, { content: 'hello' })
  const { _id } = message
  const read = async () => (await readDocuments(messages, [_id])).get(_id)
  const receive = async (content: string) => {
    const edit = content === 'hello' ? {} : { editedAt: content.length }
    arriving.next({ documents: [alive({ ...message, content, ...edit })], checkpoint: {} })
    await expect.poll(async () => (await read())?.content).toBe(content)
  }
  const notes = await openOwedNotes(messages)
  await receive('hello')
  await notes.drop([must(await read(), 'the message')])
  await receive('hello Ann')
  expect(await notes.read()).toEqual([])
  await setStarred(context, { messageId: _id, isStarred: true })
  expect(await notes.read()).toEqual([_id])
})

function alive(message: MessageDocument) {
  return { ...toStoredMessage(message, ann), _deleted: false }
}
