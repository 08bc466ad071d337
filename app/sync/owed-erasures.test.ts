import { IDBFactory } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { createOwedErasures } from './owed-erasures.ts'

const [ann, ben] = ['ann-id', 'ben-id']

function open(indexedDB: IDBFactory, name: string): Promise<IDBDatabase> {
  return new Promise((resolve) => {
    const request = indexedDB.open(name, 1)
    request.onsuccess = () => resolve(request.result)
  })
}

const namesOf = async (indexedDB: IDBFactory) =>
  (await indexedDB.databases()).map(({ name }) => name)

test('what is noted is taken off at the next start, and only that', async () => {
  const [texts, indexedDB] = [createKeyValueStorage(), new IDBFactory()]
  for (const name of [`rxdb-dexie-petrel-${ann}--0--messages`, `petrel-${ann}-device`]) {
    ;(await open(indexedDB, name)).close()
  }
  ;(await open(indexedDB, `petrel-${ben}-device`)).close()
  texts.setItem(`petrel-draft-${ann}-x`, '{}')
  texts.setItem(`petrel-draft-${ben}-x`, '{}')
  texts.setItem(`petrel-synced-${ann}`, '1')
  texts.setItem(`petrel-synced-${ben}`, '2')
  texts.setItem(`petrel-settings-${ann}`, '{}')
  texts.setItem(`first-load-done ${ann}`, 'yes')
  texts.setItem('recentEmojis', '[]')
  texts.setItem('userSettings', '{"theme":"dark"}')
  createOwedErasures({ texts, indexedDB }).record(ann)
  expect(texts.getItem('userSettings')).toBeNull()
  expect(texts.getItem('recentEmojis')).toBeNull()
  // Ben signs in before the rest is done.
  texts.setItem('userSettings', '{"theme":"light"}')
  const next = createOwedErasures({ texts, indexedDB })
  expect(next.list()).toEqual([ann])
  await next.finishAll()
  expect(next.list()).toEqual([])
  expect(await namesOf(indexedDB)).toEqual([`petrel-${ben}-device`])
  expect(texts.getItem(`petrel-draft-${ann}-x`)).toBeNull()
  expect(texts.getItem(`petrel-draft-${ben}-x`)).toBe('{}')
  expect(texts.getItem(`petrel-synced-${ann}`)).toBeNull()
  expect(texts.getItem(`petrel-settings-${ann}`)).toBeNull()
  expect(texts.getItem(`first-load-done ${ann}`)).toBeNull()
  expect(texts.getItem(`petrel-synced-${ben}`)).toBe('2')
  expect(texts.getItem('userSettings')).toBe('{"theme":"light"}')
})

test('it waits a while for a hanging tab, then rejects with words, and the erasure stays owed', async () => {
  const [texts, indexedDB] = [createKeyValueStorage(), new IDBFactory()]
  // Nothing here hears that it should close.
  const held = await open(indexedDB, `petrel-${ann}-device`)
  const owed = createOwedErasures({ texts, indexedDB, limitMs: 20 })
  owed.record(ann)
  await expect(owed.finish(ann)).rejects.toThrow('Close the other tabs of Petrel')
  await owed.finishAll()
  expect(owed.list()).toEqual([ann])
  held.close()
  await expect.poll(() => owed.list()).toEqual([])
  await owed.finish(ann)
  expect(await namesOf(indexedDB)).toEqual([])
})
