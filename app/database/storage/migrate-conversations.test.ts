import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/must.ts'
import { openTestEarlierDevice } from '../testing/open-test-earlier-device.ts'
import { readConversations } from '../views/read-conversations.ts'
import { openOwedNotes } from './dexie/owed-notes.ts'
import type { PetrelDatabase } from './open-database.ts'

type Device = Awaited<ReturnType<typeof openTestEarlierDevice>>

/** The records of one of the earlier build's databases. */
function listRecords({ databases }: Device, end: string, store: string) {
  const database = must(
    databases.find(({ name }) => name.endsWith(end)),
    end,
  )
  const found = must(
    database.stores.find(({ name }) => name === store),
    store,
  )
  return found.records as Record<string, unknown>[]
}

async function expectAllThere(device: Device, database: PetrelDatabase) {
  const before = listRecords(device, '--0--conversations', 'docs')
  const now = await readConversations(database.conversations)
  expect(now.map(({ _id }) => _id)).toEqual(before.map(({ _id }) => _id))
  for (const [at, conversation] of now.entries()) {
    const { _deleted, _attachments, _meta, _rev, ...fields } = must(before[at], 'the same')
    expect(conversation).toMatchObject(fields)
  }
  const messages = await database.messages.storageInstance.findDocumentsById(
    listRecords(device, '--0--messages', 'docs').map(({ _id }) => String(_id)),
    true,
  )
  expect(messages).toHaveLength(listRecords(device, '--0--messages', 'docs').length)
  const { people } = device
  for (const collection of [database.conversations, database.messages]) {
    const notes = await openOwedNotes(collection as PetrelDatabase['conversations'])
    const noted = listRecords(device, `--0--${collection.name}`, 'attachments')
    const owed = noted.map(({ id }) => String(id)).filter((id) => id.startsWith('owed|'))
    expect((await notes.read()).map((id) => `owed|${id}`)).toEqual(owed)
    expect(await notes.isMadeHere()).toBe(true)
    expect(await notes.hasMark('mark|begun|petrel')).toBe(true)
    expect(await notes.hasMark('mark|whole|petrel')).toBe(true)
  }
  expect(await database.device.drafts.get(people.cem)).toMatchObject({ text: 'a draft for Cem' })
}

test('what an earlier build stored is all there, and what it owed is still owed', async () => {
  const device = await openTestEarlierDevice()
  expect(await device.listEarlier()).toHaveLength(2)
  const database = await device.open('first')
  await expectAllThere(device, database)
  await expect.poll(device.listEarlier).toEqual([])
  await expectAllThere(device, database)
})

test('a conversation from before a field has it now', async () => {
  const device = await openTestEarlierDevice()
  const { ben } = device.people
  const before = listRecords(device, '--0--conversations', 'docs')
  expect(before.find(({ _id }) => _id === ben)).not.toHaveProperty('peerMarks')
  const { conversations } = await device.open('first')
  const now = await readConversations(conversations)
  expect(now.find(({ _id }) => _id === ben)).toMatchObject({ peerMarks: [], peerSilences: [] })
})
