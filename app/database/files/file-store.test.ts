import { expect, test } from 'vitest'
import { createLabDisk } from '../../lab/kit/disk.ts'
import {
  changeMessage,
  deleteMessage,
  discardMessage,
  retryMessage,
} from '../commands/change-message.ts'
import { sendFile } from '../commands/send-file.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createFileStore } from './file-store.ts'

const about = { name: 'map.txt', size: 5, mimeType: 'text/plain' }
const map = () => ({
  peerId: ben,
  bytes: new Blob(['a map']),
  about,
  type: 'document' as const,
  content: ' the way home ',
})

test('P1: a message and its file are stored in one transaction, and read again by another tab', async () => {
  const { context, database, open } = await openTestDatabase()
  const id = await sendFile(context, map())
  const message = await database.messages.findOne(id).exec()
  expect(message?.toJSON()).toMatchObject({
    _id: id,
    status: 'sending',
    type: 'document',
    content: 'the way home',
    file: about,
  })
  const other = await open('second')
  const files = createFileStore({ ...context, database: other })
  expect(await (await files.read({ _id: id }))?.text()).toBe('a map')
})

test('P1: on a full disk neither is stored, and the words say so', async () => {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  await sendFile(context, map())
  disk.fillUp('messages')
  await expect(sendFile(context, map())).rejects.toThrow(
    "This device couldn't store “map.txt”. Free up some space, then send it again.",
  )
  disk.makeRoom()
  expect(await database.messages.find().exec()).toHaveLength(1)
})

test.each([
  ['discarded', discardMessage],
  ['deleted', deleteMessage],
])('P8: the file of a %s message is not on the device any more', async (_what, command) => {
  const { context } = await openTestDatabase()
  const id = await sendFile(context, map())
  const kept = await sendFile(context, map())
  await command(context, id)
  const files = createFileStore(context)
  expect(await files.read({ _id: id })).toBeUndefined()
  expect(await files.read({ _id: kept })).toBeDefined()
})

test('a file that came with one message is there for another with the same address', async () => {
  const { context } = await openTestDatabase()
  const files = createFileStore(context)
  const id = await sendFile(context, map())
  const mediaUrl = '/api/media/1'
  const forwarded = { _id: '01900000-0000-7000-8000-0000000000f1', mediaUrl }
  expect(await files.read(forwarded)).toBeUndefined()
  await files.recordAddress(id, mediaUrl)
  expect(await (await files.read(forwarded))?.text()).toBe('a map')
  const fetched = { _id: '01900000-0000-7000-8000-0000000000f2', mediaUrl: '/api/media/2' }
  await files.keep(fetched, new Blob(['a chart']))
  expect(await (await files.read(fetched))?.text()).toBe('a chart')
})

test('P6: a retry uploads a file again that the server has lost, and only then', async () => {
  const { context, database } = await openTestDatabase()
  const mediaUrl = '/api/media/1'
  for (const [errorCode, left] of [
    ['media_not_allowed', undefined],
    ['storage_full', mediaUrl],
  ]) {
    const id = await sendFile(context, map())
    await changeMessage(database.messages, id, (message) => ({
      ...message,
      mediaUrl,
      status: 'failed',
      error: 'No.',
      ...(errorCode && { errorCode }),
    }))
    await retryMessage(context, id)
    const message = (await database.messages.findOne(id).exec())?.toJSON()
    expect(message).toMatchObject({ status: 'sending', attempt: 2, file: about })
    expect(message?.mediaUrl).toBe(left)
  }
})
