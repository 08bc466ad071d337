import { IDBFactory } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { createSharedItems } from './shared-items.ts'

const file = (key: number) => ({
  ...{ key, name: `${key}.txt`, type: 'text/plain', bytes: new Blob([`file ${key}`]) },
})
const item = (at: number, files: object[] = []) => ({
  ...{ _id: `item-${at}`, at, title: '', text: `words ${at}`, url: '', files },
})

/** As the service worker leaves them. */
async function start(given: object[]) {
  const indexedDB = new IDBFactory()
  const items = createSharedItems({ indexedDB })
  await items.list()
  const opening = indexedDB.open('petrel-shared')
  await new Promise((resolve) => opening.addEventListener('success', resolve))
  const transaction = opening.result.transaction('items', 'readwrite')
  for (const one of given) transaction.objectStore('items').put(one)
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  opening.result.close()
  const listTexts = async () => (await items.list()).map(({ text }) => text)
  return { items, listTexts }
}

test('what was shared is read newest first, until it is discarded', async () => {
  const { items, listTexts } = await start([item(1), item(2)])
  expect(await listTexts()).toEqual(['words 2', 'words 1'])
  await items.discard('item-1')
  expect(await listTexts()).toEqual(['words 2'])
  const heard = new Promise<void>((resolve) => {
    const stop = createSharedItems().subscribe(() => {
      stop()
      resolve()
    })
  })
  await items.discardAll()
  await heard
  expect(await listTexts()).toEqual([])
})

test('what is sent leaves; with the last file all of it does', async () => {
  const { items, listTexts } = await start([item(1, [file(0), file(1)])])
  await items.dropFiles('item-1', [0])
  const [left] = await items.list()
  expect(left?.files.map(({ key }) => key)).toEqual([1])
  expect(await left?.files[0]?.file.text()).toBe('file 1')
  await items.dropFiles('item-1', [1])
  expect(await listTexts()).toEqual([])
  await items.dropFiles('item-1', [1])
})
