import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { clearConversation } from '../commands/change-conversation.ts'
import { changeMessage, discardMessage } from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createMessageWindow, type MessageWindow } from './message-window.ts'

const message = (orderedAt: number, fields: Partial<MessageDocument> = {}) =>
  toStoredMessage(
    messageDocument.parse({
      _id: createId(),
      peerId: ben,
      senderId: ben,
      recipientId: ann,
      content: `message ${orderedAt}`,
      createdAt: orderedAt,
      orderedAt,
      status: 'delivered',
      ...fields,
    }),
    ann,
  )

async function start(messages: ReturnType<typeof message>[]) {
  const opened = await openTestDatabase()
  const { database } = opened
  await database.messages.bulkInsert(messages)
  const view = createMessageWindow({ database, peerId: ben, onError: raise })
  onTestFinished(async () => {
    view.close()
    await database.close()
  })
  await untilLive(view.messages, ({ isLoaded }) => isLoaded)
  const places = () => view.messages.getSnapshot().items.map(({ orderedAt }) => orderedAt)
  const until = (isWanted: (window: MessageWindow) => boolean) => untilLive(view.messages, isWanted)
  return { ...opened, view, places, until }
}

function raise(cause: unknown) {
  throw cause
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a conversation opens at its newest page and pages back to its beginning', async () => {
  const { view, places } = await start(range(1, 120).map((place) => message(place)))
  expect(places()).toEqual(range(71, 120))
  expect(view.messages.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: false })
  await view.loadOlder()
  await view.loadOlder()
  expect(places()).toEqual(range(1, 120))
  expect(view.messages.getSnapshot().hasOlder).toBe(false)
  await view.loadOlder()
  expect(places()).toHaveLength(120)
})

test('messages that share a place at the edge of a page are all there, once', async () => {
  const { view, places } = await start([
    ...range(1, 30).map((place) => message(place)),
    ...range(1, 60).map(() => message(31)),
    ...range(32, 40).map((place) => message(place)),
  ])
  while (view.messages.getSnapshot().hasOlder) await view.loadOlder()
  expect(places()).toHaveLength(99)
  expect(new Set(view.messages.getSnapshot().items.map(({ _id }) => _id)).size).toBe(99)
})

test('a jump shows what lies around a message; new ones wait until the window is back there', async () => {
  const messages = range(1, 500).map((place) => message(place))
  const { view, places, database } = await start(messages)
  expect(await view.jumpTo(messages[249]?._id ?? '')).toBe(true)
  expect(places()).toEqual(range(200, 300))
  await database.messages.insert(message(501))
  await view.loadNewer()
  expect(places()).toEqual(range(200, 350))
  await view.jumpToNewest()
  expect(places()).toEqual(range(452, 501))
  expect(await view.jumpTo(createId())).toBe(false)
})

test('paging far lets go of the other end, and finds it again', async () => {
  const { view, places } = await start(range(1, 500).map((place) => message(place)))
  for (let page = 0; page < 7; page += 1) await view.loadOlder()
  expect(places()).toEqual(range(101, 400))
  expect(view.messages.getSnapshot().hasNewer).toBe(true)
  while (view.messages.getSnapshot().hasNewer) await view.loadNewer()
  expect(places()).toEqual(range(201, 500))
})

test('a new message appears at the end, and an unchanged one stays the same object', async () => {
  const { context, view, until } = await start([message(1), message(2)])
  const before = view.messages.getSnapshot().items
  const id = await sendMessage(context, { peerId: ben, content: 'mine' })
  const { items } = await until(({ items }) => items.length === 3)
  expect(items[2]?._id).toBe(id)
  expect(items[0]).toBe(before[0])
  await changeMessage(context.database.messages, id, (one) => ({ ...one, status: 'sent' }))
  await until(({ items }) => items[2]?.status === 'sent')
})

test('a message moves when it is given its place, and leaves when it is discarded', async () => {
  const { context, places, until, database } = await start([message(10)])
  const id = await sendMessage(context, { peerId: ben, content: 'waits' })
  await until(({ items }) => items.length === 2)
  await database.messages.insert(message(20))
  await until(({ items }) => items.length === 3)
  await changeMessage(database.messages, id, (one) => ({ ...one, orderedAt: 30 }))
  await until(({ items }) => items.at(-1)?._id === id)
  expect(places()).toEqual([10, 20, 30])
  await discardMessage(context, id)
  await until(({ items }) => items.length === 2)
})

test('what another conversation says is not shown, and clearing empties the window', async () => {
  const { context, database, places, until } = await start([message(1), message(2)])
  await database.messages.insert(message(3, { peerId: ann }))
  await clearConversation(context, ben)
  await until(({ items }) => items.length === 0)
  await database.messages.insert(message(4))
  await until(({ items }) => items.length === 1)
  expect(places()).toEqual([4])
})
