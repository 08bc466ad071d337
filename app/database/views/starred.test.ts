import { expect, onTestFinished, test, vi } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { setStarred } from '../commands/change-message.ts'
import { idOf, openTestConversation } from '../testing/open-test-conversation.ts'
import { createStarred } from './starred.ts'

async function open() {
  const { database, context } = await openTestConversation({ read: 2, unread: 0 })
  const { starred, close } = createStarred({ messages: database.messages, onError: raise })
  onTestFinished(close)
  const star = (place: number, isStarred: boolean) =>
    setStarred(context, { messageId: idOf(place), isStarred })
  return { starred, star }
}

function raise(cause: unknown): never {
  throw cause
}

test('P10: what is starred is unknown until it is read, which is not the same as nothing', async () => {
  const { starred } = await open()
  const seen = [starred.getSnapshot()]
  starred.subscribe(() => seen.push(starred.getSnapshot()))
  await untilLive(starred, (messages) => messages !== undefined)
  expect(seen).toEqual([undefined, []])
})

test('the newest star comes first, and a message without its star leaves', async () => {
  const { starred, star } = await open()
  const untilShown = (...places: number[]) =>
    untilLive(
      starred,
      (messages) => messages?.map(({ _id }) => _id).join() === places.map(idOf).join(),
    )
  await star(2, true)
  await star(1, true)
  await untilShown(1, 2)
  await star(1, false)
  await untilShown(2)
})

test('a star that goes while the stars are read is gone', async () => {
  const { database, context } = await openTestConversation({ read: 2, unread: 0 })
  await setStarred(context, { messageId: idOf(1), isStarred: true })
  const { storageInstance } = database.messages
  const query = storageInstance.query.bind(storageInstance)
  const reading = vi.spyOn(storageInstance, 'query').mockImplementationOnce(async (asked) => {
    const found = await query(asked)
    await setStarred(context, { messageId: idOf(1), isStarred: false })
    return found
  })
  onTestFinished(() => reading.mockRestore())
  const { starred, close } = createStarred({ messages: database.messages, onError: raise })
  onTestFinished(close)
  await untilLive(starred, (messages) => messages?.length === 0)
})
