import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import {
  changeConversation,
  clearConversation,
  raiseLastMessage,
  setConversationFlag,
  setMuted,
} from '../commands/change-conversation.ts'
import { changeMessage, discardMessage } from '../commands/change-message.ts'
import { markRead } from '../commands/mark-read.ts'
import { sendMessage } from '../commands/send-message.ts'
import { nameOf } from '../storage/known-peer.ts'
import { subscribeToTable } from '../storage/open-device-store.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { testMessage } from '../testing/test-message.ts'
import { testGroup, testUser } from '../testing/test-user.ts'
import { createConversationList } from './conversation-list.ts'
import type { ConversationRow } from './conversation-row.ts'

const cem = '01900000-0000-7000-8000-00000000000c'

async function start() {
  const opened = await openTestDatabase()
  const { database } = opened
  const list = createConversationList({ database, onError: raise })
  await list.ready
  onTestFinished(async () => {
    list.close()
    await database.close()
  })
  const receive = async (
    from: string,
    orderedAt: number,
    fields: Partial<MessageDocument> = {},
  ) => {
    const sides = { peerId: from, senderId: from, recipientId: ann }
    const message = testMessage(orderedAt, {
      _id: createId(),
      ...sides,
      status: 'delivered',
      ...fields,
    })
    await database.messages.insert(toStoredMessage(message, ann))
    await changeConversation(database.conversations, message.peerId, (conversation) =>
      raiseLastMessage(conversation, message),
    )
  }
  const until = (isWanted: (rows: readonly ConversationRow[]) => boolean) =>
    untilLive(list.conversations, isWanted)
  return { ...opened, list, receive, until }
}

const person = testUser()

function raise(cause: unknown) {
  throw cause
}

test('pinned conversations come first, then the newest', async () => {
  const { context, receive, until } = await start()
  await receive(ben, 1_000)
  await receive(cem, 2_000)
  await until(([first]) => first?.peerId === cem)
  await setConversationFlag(context, { peerId: ben, flag: 'isPinned', isSet: true })
  const rows = await until(([first]) => first?.peerId === ben)
  expect(rows.map(({ peerId, isPinned }) => [peerId, isPinned])).toEqual([
    [ben, true],
    [cem, false],
  ])
})

test('unread messages are counted above what was read, without deleted ones', async () => {
  const { context, receive, until } = await start()
  await receive(ben, 1_000)
  await receive(ben, 2_000)
  await receive(ben, 3_000, { deletedAt: 3_500, content: '' })
  await until(([row]) => row?.unreadCount === 2)
  await markRead(context, { peerId: ben })
  await until(([row]) => row?.unreadCount === 0)
  await receive(ben, 4_000)
  await until(([row]) => row?.unreadCount === 1)
})

test('a conversation that arrives before its messages does not count as empty', async () => {
  const { database, list, receive, until } = await start()
  const message = { _id: createId(), orderedAt: 5 }
  await changeConversation(database.conversations, ben, (conversation) => ({
    ...conversation,
    lastMessage: message,
    lastMessageAt: message.orderedAt,
  }))
  await until(([row]) => row?.isComing === true)
  await receive(ben, 5)
  await until(([row]) => row?.lastMessage !== undefined)
  expect(list.conversations.getSnapshot()[0]?.isComing).toBe(false)
})

test('a customer keeps the name that the channel told, whoever wrote last', async () => {
  const { context, database, until } = await start()
  const contacts = [{ profile: { name: 'Sheena Nelson' } }]
  await changeConversation(database.conversations, ben, (conversation) => ({
    ...conversation,
    contacts,
  }))
  await sendMessage(context, { peerId: ben, content: 'On its way' })
  const [row] = await until((rows) => rows[0]?.lastMessage !== undefined)
  expect(row?.customerName).toBe('Sheena Nelson')
})

test('a conversation that has only a waiting message stands where that was written', async () => {
  const { context, receive, until } = await start()
  await receive(cem, 2_000)
  await sendMessage({ ...context, now: () => 5_000 }, { peerId: ben, content: 'first' })
  const [row] = await until((rows) => rows.length === 2 && rows[0]?.peerId === ben)
  expect(row).toMatchObject({ lastMessageAt: 5_000, lastMessage: { content: 'first' } })
})

test('when the newest message is discarded, the one before it is shown again', async () => {
  const { context, receive, until } = await start()
  await receive(ben, 1_000)
  const id = await sendMessage(context, { peerId: ben, content: 'never mind' })
  await until(([row]) => row?.lastMessage?._id === id)
  await discardMessage(context, id)
  const [row] = await until(([row]) => row?.lastMessage?.content === 'message 1000')
  expect(row).toMatchObject({ lastMessageAt: 1_000 })
})

test('a cleared conversation leaves the list until somebody writes', async () => {
  const { context, receive, until } = await start()
  await receive(ben, 1_000)
  await until((rows) => rows.length === 1)
  await clearConversation(context, ben)
  await until((rows) => rows.length === 0)
  await receive(ben, 2_000)
  const [row] = await until((rows) => rows.length === 1)
  expect(row).toMatchObject({ unreadCount: 1, lastMessage: { content: 'message 2000' } })
})

test('a row gets its person when the device hears of them, and the other rows stay the same objects', async () => {
  const { database, receive, until } = await start()
  await receive(ben, 1_000)
  await receive(cem, 2_000)
  const before = await until(
    (rows) => rows.length === 2 && rows.every(({ unreadCount }) => unreadCount === 1),
  )
  await database.device.people.put(person)
  const rows = await until((rows) => rows[1]?.peer !== undefined)
  expect(nameOf(rows[1]?.peer)).toBe('Ben')
  expect(rows[0]).toBe(before[0])
})

test("a group's row is the group's, and no person's, however late its record comes", async () => {
  const { database, receive, until } = await start()
  await receive(ben, 1_000, { peerId: cem, recipientId: cem })
  await until((rows) => rows[0]?.unreadCount === 1)
  await database.device.people.put(testUser({ _id: cem, username: 'Deleted user' }))
  await until((rows) => rows[0]?.peer !== undefined)
  await database.groups.take([testGroup({ _id: cem, name: '' })])
  const [row] = await until(([first]) => first?.peer?.isGroup === true)
  expect(nameOf(row?.peer)).toBe('Group Chat')

  await database.device.people.put(testUser({ _id: cem, username: 'Deleted user', status: 'x' }))
  await database.groups.take([testGroup({ _id: cem })])
  await until(([first]) => nameOf(first?.peer) === 'Walks')
})

test('a row gets its person who comes while the row is being read for the first time', async () => {
  const { database, receive, until } = await start()
  const { people } = database.device
  const isHeard = createDeferred()
  onTestFinished(
    subscribeToTable(people, {
      onRows: ({ length }) => length > 0 && isHeard.resolve(),
      onError: raise,
    }),
  )
  const bulkGet = people.bulkGet.bind(people)
  const reading = vi.spyOn(people, 'bulkGet').mockImplementationOnce((keys) =>
    bulkGet(keys).then(async (found) => {
      await people.put(person)
      await isHeard.promise
      return found
    }),
  )
  onTestFinished(() => reading.mockRestore())
  await receive(ben, 1_000)
  const [row] = await until(([first]) => first?.peer !== undefined)
  expect(row?.peer).toEqual(person)
})

test('a list that opens shows what waits to be sent, newer than anything the server has named', async () => {
  const { context, database, receive } = await start()
  await receive(ben, 1_000)
  await sendMessage(context, { peerId: ben, content: 'one' })
  await sendMessage(context, { peerId: ben, content: 'two' })
  await sendMessage(context, { peerId: cem, content: 'first' })
  const list = createConversationList({ database, onError: raise })
  onTestFinished(() => list.close())
  await list.ready
  const texts = list.conversations
    .getSnapshot()
    .map(({ peerId, lastMessage }) => [peerId, lastMessage?.content])
  expect(texts).toEqual(
    expect.arrayContaining([
      [ben, 'two'],
      [cem, 'first'],
    ]),
  )
})

test('what another tab changes while a list opens is in it', async () => {
  const { context, database } = await openTestDatabase()
  const change = { peerId: ben, flag: 'isPinned' } as const
  await setConversationFlag(context, { ...change, isSet: true })
  const { people } = database.device
  const bulkGet = people.bulkGet.bind(people)
  const isHeard = createDeferred()
  // Its conversations have been read by then.
  const reading = vi
    .spyOn(people, 'bulkGet')
    .mockImplementationOnce((keys) =>
      bulkGet(keys).then((found) => isHeard.promise.then(() => found)),
    )
  onTestFinished(() => reading.mockRestore())
  const list = createConversationList({ database, onError: raise })
  onTestFinished(() => list.close())
  await vi.waitUntil(() => reading.mock.calls.length > 0)
  // It hears of the change later than the one that opens, which has read it by then if it reads at once.
  const other = createConversationList({ database, onError: raise })
  onTestFinished(() => other.close())
  await other.ready
  await setConversationFlag(context, { ...change, isSet: false })
  await untilLive(other.conversations, ([first]) => first?.isPinned === false)
  isHeard.resolve()
  await list.ready
  await untilLive(list.conversations, ([first]) => first?.isPinned === false)
})

test('a message that was not sent marks its row, above it and after a start, until it is settled', async () => {
  const { context, database, receive, until } = await start()
  await receive(ben, 1_000)
  const id = await sendMessage(context, { peerId: ben, content: 'not taken' })
  await changeMessage(database.messages, id, (message) => ({ ...message, status: 'failed' }))
  await until(([row]) => row?.hasFailed === true)
  await receive(ben, 5_000)
  await until(([row]) => row?.lastMessage?.orderedAt === 5_000)

  const list = createConversationList({ database, onError: raise })
  onTestFinished(() => list.close())
  await list.ready
  const [row] = list.conversations.getSnapshot()
  expect(row).toMatchObject({ hasFailed: true, lastMessage: { orderedAt: 5_000 } })
  await discardMessage(context, id)
  await untilLive(list.conversations, ([row]) => row?.hasFailed === false)
})

test('a muting with an end is over in the list at that moment, without another write', async () => {
  const { context, database } = await openTestDatabase()
  const time = { now: 1_000 }
  const list = createConversationList({ database, onError: raise, now: () => time.now })
  await list.ready
  onTestFinished(async () => {
    list.close()
    await database.close()
  })
  await sendMessage(context, { peerId: ben, content: 'hello' })
  await setMuted(context, { peerId: ben, isMuted: true, until: 1_050 })
  await untilLive(list.conversations, (rows) => rows[0]?.mutedUntil === 1_050)
  expect(list.conversations.getSnapshot()).toMatchObject([{ isMuted: true }])
  time.now = 1_050
  await untilLive(list.conversations, (rows) => rows[0]?.isMuted === false)
  expect(list.conversations.getSnapshot()[0]).not.toHaveProperty('mutedUntil')
})

test('a group’s row has the unread messages that mention its owner, oldest first, until they are read', async () => {
  const { context, database, receive, until } = await start()
  const group = { ...testGroup(), _id: createId() }
  await database.groups.take([group])
  const inGroup = { peerId: group._id, recipientId: group._id, senderId: ben }
  const mentions = [{ userId: ann, name: 'ann' }]
  await receive(ben, 1_000, { ...inGroup, content: '@ann one', mentions })
  await receive(ben, 2_000, { ...inGroup, content: 'two', mentions })
  await receive(ben, 3_000, { ...inGroup, content: '@ann three', mentions })
  const other = { content: '@ben', mentions: [{ userId: ben, name: 'ben' }] }
  await receive(ben, 4_000, { ...inGroup, ...other })
  await receive(cem, 5_000, { content: '@ann', mentions })
  const wordsIn = (rows: readonly ConversationRow[], peerId = group._id) =>
    rows.find((row) => row.peerId === peerId)?.mentions?.map(({ content }) => content)
  const rows = await until(
    (all) => wordsIn(all)?.length === 2 && all.some(({ peerId }) => peerId === cem),
  )
  expect(wordsIn(rows)).toEqual(['@ann one', '@ann three'])
  expect(wordsIn(rows, cem)).toBeUndefined()
  await markRead(context, { peerId: group._id, place: 2_000 })
  expect(wordsIn(await until((all) => wordsIn(all)?.length === 1))).toEqual(['@ann three'])
  await markRead(context, { peerId: group._id })
  const after = await until((all) =>
    all.every(({ peerId, unreadCount }) => peerId === cem || unreadCount === 0),
  )
  expect(wordsIn(after)).toBeUndefined()
})
