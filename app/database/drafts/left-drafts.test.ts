import { expect, test } from 'vitest'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { sendMessage } from '../commands/send-message.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { readLeftDrafts, toLeftDrafts } from './left-drafts.ts'

test('P1: what is left of a draft is stored with the message that it became, and the next takes its place', async () => {
  const { context, database } = await openTestDatabase()
  for (const [at, text] of [' and', ''].entries()) {
    const note = toLeftDrafts({ _id: ben, text, at }, [])
    await sendMessage(context, { peerId: ben, content: 'hello', note })
    expect(await readLeftDrafts(database.messages)).toEqual([{ _id: ben, text, at }])
  }
})

test('P1: on a full disk neither the message nor what it leaves of its draft is stored', async () => {
  const disk = createLabDisk()
  const { context, database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  disk.fillUp('messages')
  const note = toLeftDrafts({ _id: ben, text: '', at: 1 }, [])
  await expect(sendMessage(context, { peerId: ben, content: 'hello', note })).rejects.toThrow()
  disk.makeRoom()
  expect(await readLeftDrafts(database.messages)).toEqual([])
  expect(await database.messages.find().exec()).toEqual([])
})
