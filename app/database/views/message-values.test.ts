import { expect, onTestFinished, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { idOf, openTestConversation } from '../testing/open-test-conversation.ts'
import { createMessageValues } from './message-values.ts'

async function open({ stored }: { stored: number }) {
  const { database, receive } = await openTestConversation({ read: stored, unread: 0 })
  const values = createMessageValues({ database, onError: raise })
  onTestFinished(() => values.close())
  return { values, receive }
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
