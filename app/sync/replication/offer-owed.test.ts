import { replicateRxCollection } from 'rxdb/plugins/replication'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { type StoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { idOf } from '../../database/testing/open-test-conversation.ts'
import { ann, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { createPushFloor } from './guard-replication.ts'
import { offerOwed } from './replication.ts'

const identifier = 'test'

test('P11: what the server has taken is owed no more, so that a start looks at what is left', async () => {
  const { database } = await openTestDatabase()
  const { messages } = database
  await messages.insert(toStoredMessage(testMessage(1, { senderId: ann }), ann))
  const own = await openOwedNotes(messages)
  expect(await own.read()).toEqual([idOf(1)])
  const state = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: identifier,
    collection: messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }) },
    push: { handler: async () => [] },
  })
  onTestFinished(async () => void (await state.cancel()))
  await state.startPromise
  await must(state.internalReplicationState, 'a replication that runs').streamQueue.up
  await state.awaitInSync()
  const floor = createPushFloor()
  await offerOwed({ state, collection: messages, identifier, isSetAside: () => false, floor })
  expect(await own.read()).toEqual([])
})
