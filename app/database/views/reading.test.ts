import { expect, onTestFinished, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { markRead } from '../commands/mark-read.ts'
import { sendMessage } from '../commands/send-message.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { idOf, openTestConversation } from '../testing/open-test-conversation.ts'
import { ben } from '../testing/open-test-database.ts'
import { createMessageWindow, type MessageWindow } from './message-window.ts'

/** Opens the conversation with the given numbers of read and unread messages. */
async function open(counts: { read: number; unread: number }) {
  const { database, context, receive } = await openTestConversation(counts)
  const onError = (cause: unknown) => expect.unreachable(String(cause))
  const view = createMessageWindow({ database, peerId: ben, startsAtUnread: true, onError })
  onTestFinished(view.close)
  const until = (isWanted: (window: MessageWindow) => boolean) => untilLive(view.messages, isWanted)
  await until(({ isLoaded }) => isLoaded)
  return { view, until, receive, database, context }
}

test('what comes into sight is counted off, and the line stays where the reading began', async () => {
  const { view, until } = await open({ read: 3, unread: 180 })
  expect(view.messages.getSnapshot()).toMatchObject({ firstUnreadId: idOf(4), unseenCount: 180 })
  view.setVisibleRange({ upTo: 53, holdsEnd: false })
  await until(({ unseenCount }) => unseenCount === 130)
  view.setVisibleRange({ upTo: 13, holdsEnd: false })
  await view.jumpToNewest()
  view.setVisibleRange({ upTo: 183, holdsEnd: true })
  const { firstUnreadId } = await until(({ unseenCount }) => unseenCount === 0)
  expect(firstUnreadId).toBe(idOf(4))
})

test('an answer takes the line away', async () => {
  const { view, until } = await open({ read: 3, unread: 2 })
  view.dismissUnreadLine()
  const { firstUnreadId } = await until(({ unseenCount }) => unseenCount === 0)
  expect(firstUnreadId).toBeUndefined()
})

test('what comes in before the eyes of somebody at the end gets no line', async () => {
  const { view, until, receive } = await open({ read: 3, unread: 0 })
  view.setVisibleRange({ upTo: 3, holdsEnd: true })
  await receive(4, 2)
  const window = await until(({ items }) => items.length === 5)
  expect(window.firstUnreadId).toBeUndefined()
  expect(window.unseenCount).toBe(0)
})

test('what comes in out of sight gets a line of its own, above the first of it', async () => {
  const { view, until, receive } = await open({ read: 3, unread: 2 })
  view.setVisibleRange({ upTo: 5, holdsEnd: true })
  view.setVisibleRange({ upTo: 0, holdsEnd: false })
  await receive(6, 1)
  await receive(7, 2)
  const { firstUnreadId } = await until(({ unseenCount }) => unseenCount === 3)
  expect(firstUnreadId).toBe(idOf(6))
})

test('while some of it is still unseen, what comes in joins it under the same line', async () => {
  const { view, until, receive } = await open({ read: 3, unread: 3 })
  view.setVisibleRange({ upTo: 5, holdsEnd: false })
  await until(({ unseenCount }) => unseenCount === 1)
  await receive(7, 1)
  const { firstUnreadId } = await until(({ unseenCount }) => unseenCount === 2)
  expect(firstUnreadId).toBe(idOf(4))
})

test('messages read on another device arrive without an unread line', async () => {
  const { view, until, receive, context } = await open({ read: 3, unread: 0 })
  view.setVisibleRange({ upTo: 0, holdsEnd: false })
  await markRead(context, { peerId: ben, place: 8 })
  await receive(4, 5)
  const { firstUnreadId, unseenCount } = await until(({ items }) => items.length === 8)
  expect([firstUnreadId, unseenCount]).toEqual([undefined, 0])
})

test('only what has come in since the opening is an arrival, wherever the window stands', async () => {
  const { view, until, receive, context } = await open({ read: 300, unread: 200 })
  while (view.messages.getSnapshot().hasNewer) await view.loadNewer()
  expect(view.messages.getSnapshot().arrival).toBeUndefined()
  await view.jumpTo(idOf(20))
  await receive(501, 1)
  const { arrival, items } = await until((window) => window.arrival !== undefined)
  expect(arrival?._id).toBe(idOf(501))
  expect(items.at(-1)?._id).not.toBe(idOf(501))
  await sendMessage(context, { peerId: ben, content: 'mine' })
  expect(view.messages.getSnapshot().arrival?._id).toBe(idOf(501))
})

test('the first message of an empty conversation is an arrival', async () => {
  const { until, receive } = await open({ read: 0, unread: 0 })
  await receive(1, 1)
  expect((await until(({ arrival }) => arrival !== undefined)).arrival?._id).toBe(idOf(1))
})

test('the conversation is marked read up to a place, and the mark only rises', async () => {
  const { database, context } = await open({ read: 3, unread: 5 })
  const readUpTo = async () =>
    (await readDocuments(database.conversations, [ben])).get(ben)?.readUpTo
  await markRead(context, { peerId: ben, place: 6 })
  expect(await readUpTo()).toBe(6)
  await markRead(context, { peerId: ben, place: 5 })
  expect(await readUpTo()).toBe(6)
  await markRead(context, { peerId: ben })
  expect(await readUpTo()).toBe(8)
})
