import { expect, onTestFinished, test } from 'vitest'
import { changeMessage } from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import { idOf, openTestConversation } from '../testing/open-test-conversation.ts'
import { ben } from '../testing/open-test-database.ts'
import { type ConversationView, createMessageWindow } from './message-window.ts'

async function start(counts: { read: number; unread: number }) {
  const opened = await openTestConversation(counts)
  const { database } = opened
  const views: ConversationView[] = []
  onTestFinished(() => {
    for (const view of views) view.close()
  })
  async function open(options: { startsAtUnread: boolean; startsAtId?: string }) {
    const fail = (cause: unknown) => expect.unreachable(String(cause))
    const view = createMessageWindow({ ...options, database, peerId: ben, onError: fail })
    views.push(view)
    await expect.poll(() => view.messages.getSnapshot().isLoaded).toBe(true)
    return view
  }
  return { ...opened, open }
}

const placesOf = (view: ConversationView) => {
  const places = view.messages.getSnapshot().items.map(({ orderedAt }) => orderedAt)
  return { first: places.at(0), last: places.at(-1), count: places.length }
}

test('a conversation opens at the first unread message, however many there are', async () => {
  const { open } = await start({ read: 120, unread: 180 })
  const view = await open({ startsAtUnread: true })
  expect(view.messages.getSnapshot()).toMatchObject({
    firstUnreadId: idOf(121),
    hasOlder: true,
    hasNewer: true,
  })
  expect(placesOf(view)).toEqual({ first: 71, last: 171, count: 101 })
  await view.jumpToNewest()
  expect(placesOf(view)).toEqual({ first: 251, last: 300, count: 50 })
  expect(view.messages.getSnapshot().firstUnreadId).toBe(idOf(121))
})

test('own messages after the last read one are not unread', async () => {
  const { open, context, receive } = await start({ read: 3, unread: 0 })
  await sendMessage(context, { peerId: ben, content: 'mine' })
  expect((await open({ startsAtUnread: true })).messages.getSnapshot().firstUnreadId).toBe(
    undefined,
  )
  await receive(10, 1)
  const view = await open({ startsAtUnread: true })
  expect(view.messages.getSnapshot().firstUnreadId).toBe(idOf(10))
})

test('it opens at the message where it was left, whatever is unread, and without it as ever', async () => {
  const { open } = await start({ read: 220, unread: 80 })
  const view = await open({ startsAtUnread: true, startsAtId: idOf(100) })
  expect(placesOf(view)).toEqual({ first: 50, last: 150, count: 101 })
  expect(view.messages.getSnapshot()).toMatchObject({ firstUnreadId: idOf(221), unseenCount: 80 })
  const missing = await open({ startsAtUnread: true, startsAtId: idOf(999) })
  expect(placesOf(missing)).toMatchObject({ first: 171, last: 271 })
})

test('without anything unread, or without the wish, it opens at the newest', async () => {
  const { open } = await start({ read: 120, unread: 0 })
  expect(placesOf(await open({ startsAtUnread: true }))).toMatchObject({ first: 71, last: 120 })
  expect(placesOf(await open({ startsAtUnread: false }))).toMatchObject({ first: 71, last: 120 })
})

test('the window moves to a time, and says where it is', async () => {
  const { open } = await start({ read: 500, unread: 0 })
  const view = await open({ startsAtUnread: false })
  expect(await view.jumpToTime(200)).toBe(idOf(200))
  expect(placesOf(view)).toEqual({ first: 150, last: 250, count: 101 })
  expect(await view.jumpToTime(501)).toBeUndefined()
})

test('what waits to be sent stands last, whatever comes in meanwhile, until it has its place', async () => {
  const { open, context, database, receive } = await start({ read: 120, unread: 0 })
  const view = await open({ startsAtUnread: false })
  const textsOf = () => view.messages.getSnapshot().items.map(({ content }) => content)
  const first = await sendMessage(context, { peerId: ben, content: 'first' })
  await sendMessage(context, { peerId: ben, content: 'second' })
  await receive(130, 2)
  expect(textsOf().slice(-4)).toEqual(['message 130', 'message 131', 'first', 'second'])

  await changeMessage(database.messages, first, (message) => ({
    ...message,
    status: 'sent',
    orderedAt: 140,
  }))
  expect(textsOf().slice(-4)).toEqual(['message 130', 'message 131', 'first', 'second'])

  await view.loadOlder()
  await view.loadOlder()
  expect(placesOf(view)).toMatchObject({ first: 1, count: 124 })
  expect(textsOf().at(-1)).toBe('second')
  expect(view.messages.getSnapshot().hasOlder).toBe(false)
})

test('pages of older messages are whole where waiting ones lie among them', async () => {
  const { open, context, receive } = await start({ read: 60, unread: 0 })
  const view = await open({ startsAtUnread: false })
  for (const content of ['a', 'b', 'c']) await sendMessage(context, { peerId: ben, content })
  await receive(200, 300)
  await view.jumpToNewest()
  while (view.messages.getSnapshot().hasOlder) await view.loadOlder()
  expect(placesOf(view).first).toBe(1)
})

test('what waits stays in the window, however much comes in meanwhile', async () => {
  const { open, context, receive } = await start({ read: 1, unread: 0 })
  const view = await open({ startsAtUnread: false })
  await sendMessage(context, { peerId: ben, content: 'waits' })
  await receive(10, 700)
  expect(placesOf(view).count).toBe(300)
  expect(view.messages.getSnapshot().items.at(-1)?.content).toBe('waits')
})
