import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { isEdited } from '../../../schema/message.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import {
  changeConversation,
  clearConversation,
  setConversationFlag,
  setMuted,
} from './change-conversation.ts'
import {
  changeMessage,
  deleteMessage,
  discardMessage,
  editMessage,
  retryMessage,
  setReaction,
  setStarred,
} from './change-message.ts'
import { markRead } from './mark-read.ts'
import { sendMessage } from './send-message.ts'

async function start(options: Parameters<typeof openTestDatabase>[0] = {}) {
  const opened = await openTestDatabase(options)
  const { context, database } = opened
  onTestFinished(async () => void (await database.close()))
  const read = async (id: string) =>
    must((await readDocuments(database.messages, [id])).get(id), 'message')
  const conversation = async () =>
    must((await readDocuments(database.conversations, [ben])).get(ben), 'conversation')
  const say = (content: string) => sendMessage(context, { peerId: ben, content })
  return { ...opened, context, read, conversation, say }
}

test('P1: a message that was sent is in the database, trimmed; the first one begins its conversation', async () => {
  const { read, conversation, say } = await start()
  const id = await say('  hello \n')
  const message = await read(id)
  expect(message).toMatchObject({ content: 'hello', status: 'sending', senderId: ann, peerId: ben })
  expect((await conversation()).lastMessage).toEqual({ _id: id, orderedAt: message.orderedAt })
  await say('and again')
  expect((await conversation()).lastMessage?._id).toBe(id)
})

test('P1: a message that finds no room is refused, and begins no conversation', async () => {
  const disk = createLabDisk()
  const { say, database, conversation } = await start({ indexedDB: disk.indexedDB })
  disk.fillUp('messages')
  await expect(say('hello')).rejects.toThrow()
  expect((await readDocuments(database.conversations, [ben])).size).toBe(0)
  disk.makeRoom()
  const id = await say('hello')
  expect((await conversation()).lastMessage?._id).toBe(id)
})

test('an empty message and one that is too long are refused with words', async () => {
  const { say } = await start()
  await expect(say('  \n ')).rejects.toThrow('Write something first')
  await expect(say('x'.repeat(65_537))).rejects.toThrow('longer than 65,536')
})

test('a message that waits stands behind all that was seen, whatever the clock says', async () => {
  const { read, say, database } = await start()
  const first = await say('one')
  await changeMessage(database.messages, first, (message) => ({
    ...message,
    status: 'sent',
    orderedAt: 9_000_000_000_000,
  }))
  expect((await read(await say('two'))).orderedAt).toBe(9_000_000_000_001)
})

test('editing before it is sent rewrites it, deleting discards it', async () => {
  const { read, say, context } = await start()
  const [edited, deleted] = [await say('helo'), await say('oops')]
  await editMessage(context, { messageId: edited, content: 'hello' })
  expect(await read(edited)).toMatchObject({ content: 'hello', status: 'sending', attempt: 1 })
  await deleteMessage(context, deleted)
  expect(await read(deleted)).toMatchObject({ content: '', shelf: '', tally: '' })
})

test('P13: an edit replaces no words that are sealed and not open here', async () => {
  const { context, database, read, say } = await start()
  const id = await say('hello')
  const locked = { content: '', sealed: '7.a.b', locked: 'newer' as const }
  await database.messages.upsert(toStoredMessage({ ...(await read(id)), ...locked }, ann))
  const before = await read(id)
  expect(before).toMatchObject(locked)
  await editMessage(context, { messageId: id, content: 'something else' })
  expect(await read(id)).toEqual(before)
})

test('P6: a refused message can be sent again, edited, or discarded', async () => {
  const { read, say, context, database } = await start()
  const refuse = (id: string) =>
    changeMessage(database.messages, id, (message) => ({
      ...message,
      status: 'failed',
      error: 'No.',
      errorCode: 'unknown_person',
    }))
  const ids = [await say('one'), await say('two'), await say('three')] as const
  for (const id of ids) await refuse(id)
  await retryMessage(context, ids[0])
  await editMessage(context, { messageId: ids[1], content: 'better' })
  await discardMessage(context, ids[2])
  const again = { status: 'sending', attempt: 2 }
  expect(await read(ids[0])).toMatchObject({ ...again, content: 'one' })
  expect(await read(ids[0])).not.toHaveProperty('error')
  expect(await read(ids[0])).not.toHaveProperty('errorCode')
  expect(await read(ids[1])).toMatchObject({ ...again, content: 'better' })
  expect(await read(ids[2])).toMatchObject({ shelf: '' })
})

test('P6: a message that was sent cannot be discarded', async () => {
  const { read, say, context, database } = await start()
  const id = await say('hello')
  await changeMessage(database.messages, id, (message) => ({ ...message, status: 'sent' }))
  await discardMessage(context, id)
  expect(await read(id)).toMatchObject({ content: 'hello', shelf: ben })
  expect(await read(id)).not.toHaveProperty('deletedAt')
})

test('P6: an edit after something that was refused comes later than that, and counts as one', async () => {
  const { read, say, context, database } = await start()
  const id = await say('helo')
  const refused = { at: 5_000, code: 'forged_status', error: 'No.' }
  await changeMessage(database.messages, id, (message) => ({ ...message, status: 'sent', refused }))
  await editMessage({ ...context, now: () => 5_000 }, { messageId: id, content: 'hello' })
  expect(await read(id)).toMatchObject({ content: 'hello', editedAt: 5_001 })
  expect(isEdited(await read(id))).toBe(true)
})

test('a message of the other person cannot be edited or deleted here, but starred', async () => {
  const { read, say, context, database } = await start()
  const id = await say('from Ben')
  await changeMessage(database.messages, id, (message) => ({
    ...message,
    senderId: ben,
    recipientId: ann,
    status: 'delivered',
  }))
  await editMessage(context, { messageId: id, content: 'forged' })
  await deleteMessage(context, id)
  await discardMessage(context, id)
  await setStarred(context, { messageId: id, isStarred: true })
  expect(await read(id)).toMatchObject({ content: 'from Ben', isStarred: true })
  await markRead(context, { peerId: ben })
  expect(await read(id)).not.toHaveProperty('deletedAt')
})

test('what is read has arrived too, and what has arrived further stays so', async () => {
  const { conversation, context, database } = await start()
  await markRead(context, { peerId: ben, place: 10 })
  expect(await conversation()).toMatchObject({ readUpTo: 10, deliveredUpTo: 10 })
  const raise = (deliveredUpTo: number) =>
    changeConversation(database.conversations, ben, (one) => ({ ...one, deliveredUpTo }))
  await raise(30)
  await markRead(context, { peerId: ben, place: 20 })
  expect(await conversation()).toMatchObject({ readUpTo: 20, deliveredUpTo: 30 })
})

test('a flag and a star change under a later time than the one they have, even if the clock is behind', async () => {
  const { read, say, conversation, context } = await start()
  const id = await say('hello')
  await setStarred({ ...context, now: () => 5_000 }, { messageId: id, isStarred: true })
  await setStarred({ ...context, now: () => 4_000 }, { messageId: id, isStarred: false })
  expect(await read(id)).toMatchObject({ isStarred: false, isStarredAt: 5_001 })
  await setConversationFlag(
    { ...context, now: () => 5_000 },
    { peerId: ben, flag: 'isPinned', isSet: true },
  )
  await setConversationFlag(
    { ...context, now: () => 4_000 },
    { peerId: ben, flag: 'isPinned', isSet: false },
  )
  expect(await conversation()).toMatchObject({ isPinned: false, isPinnedAt: 5_001 })
})

test('clearing hides what is there now, and tells nobody that it was read', async () => {
  const { read, say, conversation, context } = await start()
  const { orderedAt } = await read(await say('hello'))
  await clearConversation(context, ben)
  expect(await conversation()).toMatchObject({ clearedUpTo: orderedAt, readUpTo: 0 })
  // The server has named a message that this device does not have yet.
  await changeConversation(context.database.conversations, ben, (one) => ({
    ...one,
    lastMessageAt: orderedAt + 10,
  }))
  await clearConversation(context, ben)
  expect(await conversation()).toMatchObject({ clearedUpTo: orderedAt + 10 })
})

test('clearing discards what has not been sent, in this chat and up to there', async () => {
  const { read, say, context } = await start()
  const before = await say('never mind')
  const { orderedAt } = await read(before)
  const [after, elsewhere] = [
    await say('meanwhile'),
    await sendMessage(context, { peerId: createId(), content: 'hello' }),
  ]
  await clearConversation(context, ben, orderedAt)
  expect(await read(before)).toMatchObject({ content: '', deletedAt: expect.any(Number) })
  for (const id of [after, elsewhere]) {
    expect((await read(id)).deletedAt).toBeUndefined()
  }
})

test('one reaction for each person: it is changed, taken back, and stays away from what nobody else has', async () => {
  const { read, say, context, database } = await start()
  const id = await say('hello')
  await setReaction(context, { messageId: id, emoji: '👍' })
  expect((await read(id)).reactions).toBeUndefined()
  await changeMessage(database.messages, id, (message) => ({ ...message, status: 'sent' }))
  await setReaction({ ...context, now: () => 5_000 }, { messageId: id, emoji: '👍' })
  await setReaction({ ...context, now: () => 4_000 }, { messageId: id, emoji: '❤️' })
  expect((await read(id)).reactions).toEqual({ [ann]: { emoji: '❤️', at: 5_001 } })
  await setReaction({ ...context, now: () => 6_000 }, { messageId: id, emoji: 'words' })
  await setReaction({ ...context, now: () => 7_000 }, { messageId: id, emoji: '' })
  expect((await read(id)).reactions).toEqual({ [ann]: { emoji: '', at: 7_000 } })
  await deleteMessage(context, id)
  await setReaction(context, { messageId: id, emoji: '👍' })
  expect((await read(id)).reactions).toBeUndefined()
})

test('muting again replaces the end of the muting, and taking it back removes it', async () => {
  const { context, conversation, say } = await start()
  await say('hello')
  await setMuted(context, { peerId: ben, isMuted: true, until: 5_000 })
  const first = await conversation()
  expect(first).toMatchObject({ isMuted: true, mutedUntil: 5_000 })
  await setMuted(context, { peerId: ben, isMuted: true })
  const second = await conversation()
  expect(second.mutedUntil).toBeUndefined()
  expect(second.isMutedAt).toBeGreaterThan(first.isMutedAt)
  await setMuted(context, { peerId: ben, isMuted: true, until: 5_000 })
  await setMuted(context, { peerId: ben, isMuted: false, until: 5_000 })
  expect(await conversation()).toMatchObject({ isMuted: false })
  expect((await conversation()).mutedUntil).toBeUndefined()
})
