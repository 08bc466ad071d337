import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { setStarred } from '../commands/change-message.ts'
import { idOf, openTestConversation } from '../testing/open-test-conversation.ts'
import { ben } from '../testing/open-test-database.ts'
import { createMessageValues } from './message-values.ts'

async function open({ stored }: { stored: number }) {
  const opened = await openTestConversation({ read: stored, unread: 0 })
  const values = createMessageValues({ database: opened.database, onError: raise })
  onTestFinished(() => values.close())
  return { ...opened, values }
}

function raise(cause: unknown): never {
  throw cause
}

test('a message is unknown while it is being read, which is not the same as absent', async () => {
  const { values } = await open({ stored: 1 })
  const value = values.get(idOf(1))
  const seen = [value.getSnapshot()]
  value.subscribe(() => seen.push(value.getSnapshot()))
  await untilLive(value, (message) => message !== undefined)
  expect(seen).toEqual([undefined, expect.objectContaining({ content: 'message 1' })])
})

test('one that is not on the device is null, until it comes in', async () => {
  const { values, receive } = await open({ stored: 1 })
  const value = values.get(idOf(2))
  await untilLive(value, (message) => message === null)
  await receive(2, 1)
  await untilLive(value, (message) => message?.content === 'message 2')
})

test('a write while it is being read is newer than what was read', async () => {
  const { values, database, context } = await open({ stored: 1 })
  const { storageInstance } = database.conversations
  const read = storageInstance.findDocumentsById.bind(storageInstance)
  const [reached, released] = [createDeferred(), createDeferred()]
  const answer = released.promise.then(() => read([ben], false))
  vi.spyOn(storageInstance, 'findDocumentsById').mockImplementationOnce(() => {
    reached.resolve()
    return answer
  })
  const value = values.get(idOf(1))
  await reached.promise
  await setStarred(context, { messageId: idOf(1), isStarred: true })
  await untilLive(value, (message) => message?.isStarred === true)
  released.resolve()
  await answer
  await new Promise(setImmediate)
  expect(value.getSnapshot()?.isStarred).toBe(true)
})
