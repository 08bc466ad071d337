import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { changeConversation, findClearPlace } from '../commands/change-conversation.ts'
import { changeMessage, deleteMessage, setStarred } from '../commands/change-message.ts'
import { sendFile } from '../commands/send-file.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createFileLedger } from './file-ledger.ts'
import { createFileStore } from './file-store.ts'

const ivy = '01900000-0000-7000-8000-00000000000c'
const about = { name: 'map.txt', size: 5, mimeType: 'text/plain' }
const map = () => ({
  peerId: ben,
  bytes: new Blob(['a map']),
  about,
  type: 'document' as const,
  content: 'the way home',
})
const hourMs = 60 * 60 * 1000

async function start() {
  const opened = await openTestDatabase()
  const later = { ms: 0 }
  const context = { ...opened.context, now: () => opened.context.now() + later.ms }
  const ledger = createFileLedger(context)
  const files = createFileStore(context)
  /** A file that the server has, too. */
  async function keepSent(mediaUrl: string) {
    const _id = await sendFile(context, map())
    await files.recordAddress(_id, mediaUrl)
    await changeMessage(context.database.messages, _id, (message) => ({
      ...message,
      mediaUrl,
      status: 'sent',
    }))
    return { _id, mediaUrl }
  }
  /** As another device does, which knows of nothing that waits on this one. */
  async function clearElsewhere(peerId: string) {
    const clearedUpTo = await findClearPlace(context, peerId)
    await changeConversation(context.database.conversations, peerId, (conversation) => ({
      ...conversation,
      clearedUpTo,
    }))
  }
  return { ...opened, context, ledger, files, keepSent, clearElsewhere, later }
}

test('it knows of each file how large it is, whose it is, and whether it is anywhere else', async () => {
  const { context, ledger, keepSent, clearElsewhere } = await start()
  const waiting = await sendFile(context, map())
  const sent = await keepSent('/api/media/1')
  await setStarred(context, { messageId: sent._id, isStarred: true })
  expect(await ledger.list()).toMatchObject([
    { messageId: waiting, size: 5, peerId: ben, isUnsent: true, isStarred: false },
    { messageId: sent._id, size: 5, peerId: ben, isUnsent: false, isStarred: true },
  ])
  await clearElsewhere(ben)
  expect((await ledger.list()).map(({ isCleared }) => isCleared)).toEqual([true, true])
  await deleteMessage(context, waiting)
  expect((await ledger.list()).map(({ messageId }) => messageId)).toEqual([sent._id])
})

test('a use counts by the hour, also of a file that came with another message', async () => {
  const { ledger, keepSent, later } = await start()
  const sent = await keepSent('/api/media/1')
  const forwarded = { ...sent, _id: '01900000-0000-7000-8000-0000000000f1' }
  const readUse = async () => (await ledger.list())[0]?.usedAt ?? 0
  const before = await readUse()
  later.ms = hourMs
  await ledger.touch(forwarded, 5)
  const after = await readUse()
  expect(after).toBeGreaterThan(before + hourMs - 1)
  later.ms += hourMs - 100
  await ledger.touch(forwarded, 5)
  expect(await readUse()).toBe(after)
  expect(await ledger.list()).toHaveLength(1)
})

test('P1: what is nowhere else stays, whatever was known when it was chosen', async () => {
  const { context, ledger, files, keepSent } = await start()
  const sent = await keepSent('/api/media/1')
  const starred = await keepSent('/api/media/2')
  const waiting = await sendFile(context, map())
  const chosen = (await ledger.list()).map((entry) => ({ ...entry, isUnsent: false }))
  await setStarred(context, { messageId: starred._id, isStarred: true })
  expect(await ledger.remove(chosen, { keepsStarred: true })).toBe(5)
  expect(await files.read(sent)).toBeUndefined()
  expect(await files.read(starred)).toBeDefined()
  expect(await files.read({ _id: waiting })).toBeDefined()
  expect(await ledger.list()).toHaveLength(2)
  expect(await ledger.remove(chosen, { keepsStarred: false })).toBeGreaterThan(0)
  expect(await files.read(starred)).toBeUndefined()
  expect(await files.read({ _id: waiting })).toBeDefined()
})

test('P1: bytes that lie under the message of another chat stay while a message that shows them is unsent or starred', async () => {
  const { context, ledger, files, keepSent, clearElsewhere } = await start()
  const { messages } = context.database
  const forStar = await keepSent('/api/media/1')
  const forUnsent = await keepSent('/api/media/2')
  const forNobody = await keepSent('/api/media/3')
  const chosen = await ledger.list()
  const forward = async (_id: string, of: { mediaUrl: string }, sent: Partial<MessageDocument>) => {
    const facts = {
      _id,
      peerId: ivy,
      senderId: ann,
      recipientId: ivy,
      content: '',
      type: 'document',
    }
    const times = { createdAt: 1, orderedAt: context.now() }
    const message = messageDocument.parse({ ...facts, ...times, file: about, ...of, ...sent })
    await messages.insert(toStoredMessage(message, ann))
    return _id
  }
  const { mediaUrl } = forNobody
  const starred = '01900000-0000-7000-8000-0000000000f1'
  await forward(starred, { mediaUrl: forStar.mediaUrl }, { status: 'sent' })
  await setStarred(context, { messageId: starred, isStarred: true })
  const unsent = '01900000-0000-7000-8000-0000000000f2'
  await forward(unsent, { mediaUrl: forUnsent.mediaUrl }, { status: 'sending' })
  await forward('01900000-0000-7000-8000-0000000000f3', { mediaUrl }, { status: 'sent' })

  await clearElsewhere(ben)
  expect(await ledger.list()).toMatchObject([
    { messageId: forStar._id, isStarred: true, isCleared: true, isWantedElsewhere: true },
    { messageId: forUnsent._id, isUnsent: true, isCleared: true, isWantedElsewhere: true },
    { messageId: forNobody._id, isStarred: false, isUnsent: false, isWantedElsewhere: false },
  ])
  expect(await ledger.remove(chosen, { keepsStarred: false })).toBe(5)
  const isKept = async (one: { _id: string; mediaUrl: string }) =>
    (await files.read(one)) !== undefined
  expect([await isKept(forStar), await isKept(forUnsent)]).toEqual([true, true])
  expect(await isKept(forNobody)).toBe(false)

  await clearElsewhere(ivy)
  expect((await ledger.list()).map(({ isWantedElsewhere }) => isWantedElsewhere)).toEqual([
    false,
    true,
  ])
  expect(await ledger.remove(await ledger.list(), { keepsStarred: false })).toBe(5)
  expect([await isKept(forStar), await isKept(forUnsent)]).toEqual([false, true])
})

test('P8: no file is left when the device is erased', async () => {
  const { context, ledger, database, indexedDB } = await start()
  await sendFile(context, map())
  await ledger.list()
  await database.remove()
  expect(await indexedDB.databases()).toEqual([])
})
