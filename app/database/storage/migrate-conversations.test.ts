import { Dexie } from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { openTestEarlierDevice } from '../testing/open-test-earlier-device.ts'
import { readConversations } from '../views/read-conversations.ts'
import { openOwedNotes, recordOwed, settleRequest } from './dexie/owed-notes.ts'
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

test('P11: a kill at any write of the migration leaves what the next start completes', async () => {
  let kills = 0
  for (;;) {
    const disk = createLabDisk()
    const device = await openTestEarlierDevice(disk.indexedDB)
    disk.dieAfter(kills)
    const opened = await device.open('first').catch((error: unknown) => error)
    const hasDied = disk.countRefused() > 0
    // The page says why it cannot open, or opens and removes nothing.
    if (hasDied) expect(findNames(opened)).toContain('QuotaExceededError')
    else await (opened as PetrelDatabase).close()
    disk.makeRoom()
    const database = await device.open('next')
    await expectAllThere(device, database)
    await expect.poll(device.listEarlier).toEqual([])
    await database.close()
    if (!hasDied) break
    kills += 1
  }
  expect(kills).toBeGreaterThan(5)
})

test('what could not be removed is removed at the next start', async () => {
  const device = await openTestEarlierDevice()
  const { indexedDB } = device
  const { deleteDatabase } = indexedDB
  indexedDB.deleteDatabase = () => {
    throw new DOMException('The process is gone.', 'UnknownError')
  }
  const first = await device.open('first')
  await expectAllThere(device, first)
  await first.close()
  indexedDB.deleteDatabase = deleteDatabase
  expect(await device.listEarlier()).toHaveLength(2)
  const next = await device.open('next')
  await expectAllThere(device, next)
  await expect.poll(device.listEarlier).toEqual([])
})

test('what a replication noted goes before the documents that lead to it', async () => {
  const device = await openTestEarlierDevice()
  const { indexedDB } = device
  const { deleteDatabase } = indexedDB
  let refused = 0
  indexedDB.deleteDatabase = (name) => {
    if (name.endsWith('--0--conversations')) return deleteDatabase.call(indexedDB, name)
    refused += 1
    throw new DOMException('The process is gone.', 'UnknownError')
  }
  const first = await device.open('first')
  await expect.poll(() => refused).toBeGreaterThan(0)
  await first.close()
  indexedDB.deleteDatabase = deleteDatabase
  await device.open('next')
  await expect.poll(device.listEarlier).toEqual([])
})

test('two tabs that open at once both have everything, once', async () => {
  const device = await openTestEarlierDevice()
  const tabs = await Promise.all([device.open('first'), device.open('second')])
  for (const tab of tabs) await expectAllThere(device, tab)
  await expect.poll(device.listEarlier).toEqual([])
  for (const tab of tabs) await expectAllThere(device, tab)
})

test('P11: what an open tab of the earlier build writes during the migration is kept and owed', async () => {
  const device = await openTestEarlierDevice()
  const { indexedDB, people } = device
  const earlier = await openEarlierTab(device)
  const { open } = indexedDB
  const held = { isDone: false }
  indexedDB.open = (name, version) => {
    const isRemoval = name.endsWith('--0--conversations') && version === 11
    if (!isRemoval || held.isDone) return open.call(indexedDB, name, version)
    // Between what was read and the removal.
    held.isDone = true
    void earlier.write(people.ben, { isMuted: true, isMutedAt: Date.now() })
    return open.call(indexedDB, name, version)
  }
  const { conversations } = await device.open('first')
  await expect.poll(device.listEarlier).toEqual([])
  expect(held.isDone).toBe(true)
  const muted = await readConversations(conversations)
  expect(muted.find(({ _id }) => _id === people.ben)).toMatchObject({ isMuted: true })
  expect(await (await openOwedNotes(conversations)).read()).toContain(people.ben)
})

test('P11: what a tab of the earlier build writes after the migration is taken in by the next start', async () => {
  const device = await openTestEarlierDevice()
  const { people } = device
  const earlier = await openEarlierTab(device)
  const first = await device.open('first')
  await expect.poll(device.listEarlier).toEqual([])
  await first.close()
  await earlier.write(people.ben, { isMuted: true, isMutedAt: Date.now() })
  expect(await device.listEarlier()).toHaveLength(1)
  const { conversations } = await device.open('next')
  const readBen = async () =>
    (await readConversations(conversations)).find(({ _id }) => _id === people.ben)
  await expect.poll(readBen).toMatchObject({ isMuted: true, isPinned: true })
  expect(await (await openOwedNotes(conversations)).read()).toContain(people.ben)
  await expect.poll(device.listEarlier).toEqual([])
})

test('P10: a frozen tab of the earlier build keeps no tab from opening', async () => {
  const device = await openTestEarlierDevice()
  const name = must((await device.listEarlier())[0], 'the conversations')
  const frozen = await settleRequest(device.indexedDB.open(name))
  const tabs = [await device.open('first'), await device.open('second')]
  for (const tab of tabs) await expectAllThere(device, tab)
  expect(await device.listEarlier()).toContain(name)
  frozen.close()
  await expect.poll(device.listEarlier).toEqual([])
})

test('a browser that cannot list its databases takes everything over, again and again', async () => {
  const device = await openTestEarlierDevice()
  const found = await device.listEarlier()
  Object.assign(device.indexedDB, { databases: undefined })
  for (const tab of ['first', 'second']) {
    const database = await device.open(tab)
    await expectAllThere(device, database)
    await database.close()
  }
  Reflect.deleteProperty(device.indexedDB, 'databases')
  expect(await device.listEarlier()).toEqual(found)
})

test('removing the database leaves none of the earlier build', async () => {
  for (const isFrozen of [false, true]) {
    const device = await openTestEarlierDevice()
    const name = must((await device.listEarlier())[0], 'the conversations')
    const frozen = isFrozen ? await settleRequest(device.indexedDB.open(name)) : undefined
    const database = await device.open('first')
    await database.remove()
    frozen?.close()
    const list = async () => (await device.indexedDB.databases()).map((each) => each.name)
    await expect.poll(list).toEqual([])
  }
})

/** The names of an error and all its causes. */
function findNames(error: unknown): string[] {
  if (!(error instanceof Error || error instanceof DOMException)) return []
  const { inner } = error as { inner?: unknown }
  return [error.name, ...findNames(inner), ...findNames(error.cause)]
}

/** A tab of the earlier build, as far as its conversations' database goes. */
async function openEarlierTab({ indexedDB, listEarlier }: Device) {
  const name = must((await listEarlier())[0], 'the conversations')
  const dexie = new Dexie(name, { indexedDB, IDBKeyRange })
  recordOwed(dexie)
  dexie.version(1).stores({
    docs: '_id,[_deleted+_id],[_meta.lwt+_id],_meta.lwt',
    changes: '++sequence, id',
    attachments: 'id',
  })
  await dexie.open()
  onTestFinished(() => dexie.close())
  const [docs, notes] = [dexie.table('docs'), dexie.table('attachments')]
  const known: Record<string, unknown>[] = await docs.toArray()
  return {
    write: async (id: string, change: object) =>
      await dexie.transaction('rw', docs, notes, async () => {
        const before = known.find(({ _id }) => _id === id)
        await docs.put({ ...before, ...change, _rev: '99-earlier', _meta: { lwt: Date.now() } })
      }),
  }
}
