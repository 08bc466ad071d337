import { Dexie, type ObservabilitySet } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test } from 'vitest'
import { sendMessage } from '../../commands/send-message.ts'
import { openIndexStore } from '../../search/open-index-store.ts'
import { ben, openTestDatabase } from '../../testing/open-test-database.ts'

const platform = { indexedDB: new IDBFactory(), IDBKeyRange }

/** Starts after the opening, when Dexie announces a new database as entirely changed. */
function listen() {
  const announced: string[] = []
  const note = (parts: ObservabilitySet) => announced.push(...Object.keys(parts))
  Dexie.on('storagemutated', note)
  onTestFinished(() => Dexie.on('storagemutated').unsubscribe(note))
  return announced
}

test('what is written to the search index is announced to no live query', async () => {
  const store = await openIndexStore({ databaseName: 'ann', ...platform })
  onTestFinished(() => store.close())
  const announced = listen()
  await store.places.put({ _id: 'm1', segment: 0, position: 0, orderedAt: 1, print: 1 })

  expect(await store.places.count()).toBe(1)
  expect(announced).toEqual([])
})

test('a message is announced to none; what the device store holds is', async () => {
  const { context, database } = await openTestDatabase()
  onTestFinished(() => database.close())
  const announced = listen()
  await sendMessage(context, { peerId: ben, content: 'hello' })
  expect(announced).toEqual([])

  await database.device.drafts.put({ _id: ben, text: 'hello', at: 1 })
  expect(announced).not.toEqual([])
})
