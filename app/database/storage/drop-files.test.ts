import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { changeMessage, deleteMessage, setStarred } from '../commands/change-message.ts'
import { sendFile } from '../commands/send-file.ts'
import { createFileStore } from '../files/file-store.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { toStoredMessage } from './stored-message.ts'

const ivy = '01900000-0000-7000-8000-00000000000c'
const about = { name: 'map.txt', size: 5, mimeType: 'text/plain' }

async function start() {
  const { context, database } = await openTestDatabase()
  const { messages } = database
  const files = createFileStore(context)

  /** A message with a file that the server has, too, and a forward of it to another chat. */
  async function keepForwarded(name: string, forwarded: Partial<MessageDocument> = {}) {
    const bytes = new Blob(['a map'])
    const _id = await sendFile(context, {
      peerId: ben,
      bytes,
      about,
      type: 'document',
      content: name,
    })
    const mediaUrl = `/api/media/${name}`
    await files.recordAddress(_id, mediaUrl)
    await changeMessage(messages, _id, (message) => ({ ...message, mediaUrl, status: 'sent' }))
    const forward = messageDocument.parse({
      _id: uuidv7(),
      peerId: ivy,
      senderId: ann,
      recipientId: ivy,
      mediaUrl,
      content: '',
      type: 'document',
      file: about,
      createdAt: 1,
      orderedAt: context.now(),
      status: 'sent',
      ...forwarded,
    })
    await messages.insert(toStoredMessage(forward, ann))
    return { _id, mediaUrl, forward }
  }
  const isKept = async (one: Pick<MessageDocument, '_id' | 'mediaUrl'>) =>
    (await files.read(one)) !== undefined
  return { context, files, keepForwarded, isKept }
}

const starred = { isStarred: true, isStarredAt: 5 }

test('P1: the bytes of a deleted message stay while a forward of it in another chat is starred or unsent', async () => {
  const { context, keepForwarded, isKept } = await start()
  const forStar = await keepForwarded('1', starred)
  const forUnsent = await keepForwarded('2', { status: 'sending' })
  const forFailed = await keepForwarded('3', { status: 'failed' })
  const forNobody = await keepForwarded('4')
  for (const { _id } of [forStar, forUnsent, forFailed, forNobody]) {
    await deleteMessage(context, _id)
  }
  expect(await isKept(forStar.forward)).toBe(true)
  expect(await isKept(forUnsent.forward)).toBe(true)
  expect(await isKept(forFailed.forward)).toBe(true)
  expect(await isKept(forNobody.forward)).toBe(false)
  // Later writes of it, such as the server's version, change nothing.
  await changeMessage(context.database.messages, forStar._id, (message) => ({
    ...message,
    attempt: (message.attempt ?? 1) + 1,
  }))
  expect(await isKept(forStar.forward)).toBe(true)
})

test('P8: they go where the forward has bytes of its own, is not starred any more, or was deleted before', async () => {
  const { context, files, keepForwarded, isKept } = await start()
  const hasOwn = await keepForwarded('1', starred)
  await files.keep(hasOwn.forward, new Blob(['a map']))
  await files.recordAddress(hasOwn._id, hasOwn.mediaUrl)
  const unstarred = await keepForwarded('2', starred)
  await setStarred(context, { messageId: unstarred.forward._id, isStarred: false })
  const gone = await keepForwarded('3', starred)
  await deleteMessage(context, hasOwn._id)
  await deleteMessage(context, unstarred._id)
  await deleteMessage(context, gone.forward._id)
  await deleteMessage(context, gone._id)
  expect(await isKept({ _id: hasOwn._id })).toBe(false)
  expect(await isKept(hasOwn.forward)).toBe(true)
  expect(await isKept(unstarred.forward)).toBe(false)
  expect(await isKept(gone.forward)).toBe(false)
})
