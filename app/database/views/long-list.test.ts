import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { changeConversation, setConversationFlag } from '../commands/change-conversation.ts'
import { createKeyValueStorage } from '../storage/key-value-storage.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, openTestDatabase } from '../testing/open-test-database.ts'
import { testMessage } from '../testing/test-message.ts'
import { createConversationList } from './conversation-list.ts'

const count = 130
const topCount = 40
const key = 'top'

/** One message of each of them, the last of them newest. */
async function openLongList() {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const peers = Array.from({ length: count }, () => createId())
  const messages = peers.map((peerId, at) => {
    const sides = { peerId, senderId: peerId, recipientId: ann }
    return testMessage(at + 1, { _id: createId(), ...sides, status: 'delivered' })
  })
  await database.messages.bulkInsert(messages.map((message) => toStoredMessage(message, ann)))
  for (const peerId of peers) await changeConversation(database.conversations, peerId, (it) => it)
  const texts = createKeyValueStorage()
  const errors: unknown[] = []
  function open() {
    const onError = (error: unknown) => void errors.push(error)
    const list = createConversationList({ database, onError, top: { texts, key } })
    onTestFinished(() => list.close())
    const rows = () => list.conversations.getSnapshot()
    return {
      ...list,
      read: () => rows().map(({ peerId }) => peerId),
      /** Those whose messages have been read. */
      readWhole: () => rows().flatMap((row) => (row.lastMessage ? [row.peerId] : [])),
    }
  }
  const newestFirst = peers.toReversed()
  return { context, database, disk, texts, errors, newestFirst, open }
}

test('of a long list, what stood on top is read first, and then all others', async () => {
  const { newestFirst, open } = await openLongList()
  const first = open()
  await first.ready
  // Nothing is remembered yet.
  expect(first.readWhole()).toEqual(newestFirst)
  await first.whole
  first.close()

  const second = open()
  await second.ready
  expect(second.readWhole()).toEqual(newestFirst.slice(0, topCount))
  // The others are there all the same, and say nothing of their messages yet.
  expect(second.read().toSorted()).toEqual(newestFirst.toSorted())
  expect(second.conversations.getSnapshot().at(-1)).toMatchObject({ isComing: true })
  await second.whole
  expect(second.readWhole()).toEqual(newestFirst)
})

test('what stands on top next time is who came there meanwhile', async () => {
  const { context, newestFirst, open } = await openLongList()
  const oldest = newestFirst.at(-1) ?? ''
  const first = open()
  await first.whole
  await setConversationFlag(context, { peerId: oldest, flag: 'isPinned', isSet: true })
  await untilLive(first.conversations, ([row]) => row?.peerId === oldest)
  first.close()
  const second = open()
  await second.ready
  expect(second.readWhole()).toEqual([oldest, ...newestFirst.slice(0, topCount - 1)])
})

test('a list of which too little is remembered is read whole', async () => {
  const { newestFirst, texts, open } = await openLongList()
  texts.setItem(key, newestFirst.slice(0, 10).join(' '))
  const list = open()
  await list.ready
  expect(list.readWhole()).toEqual(newestFirst)
})

test('the others are read again after a failure', async () => {
  const { disk, errors, newestFirst, open } = await openLongList()
  const first = open()
  await first.whole
  first.close()
  const second = open()
  const stop = second.conversations.subscribe(() => disk.fail())
  await second.ready
  stop()
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  disk.makeRoom()
  await second.whole
  expect(second.readWhole()).toEqual(newestFirst)
})
