import { IDBFactory } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { createSharedItems } from './shared-items.ts'

const [ann, ben] = ['ann', 'ben']

const file = (key: number) => ({
  key,
  name: `${key}.txt`,
  type: 'text/plain',
  bytes: new Blob([`file ${key}`]),
})
const item = (
  at: number,
  { ownerId, files = [] }: { ownerId?: string; files?: object[] } = {},
) => ({
  _id: `item-${at}`,
  at,
  title: '',
  text: `words ${at}`,
  url: '',
  files,
  ...(ownerId && { ownerId }),
})

/** Items as the service worker stores them. */
async function start(given: object[]) {
  const indexedDB = new IDBFactory()
  const of = (userId: string) => createSharedItems({ userId, indexedDB })
  await of(ann).list()
  const opening = indexedDB.open('petrel-shared')
  await new Promise((resolve) => opening.addEventListener('success', resolve))
  const transaction = opening.result.transaction('items', 'readwrite')
  for (const one of given) transaction.objectStore('items').put(one)
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  opening.result.close()
  const listTexts = async (userId = ann) => (await of(userId).list()).map(({ text }) => text)
  return { items: of(ann), listTexts }
}

test('lists shared items newest first, until discarded', async () => {
  const { items, listTexts } = await start([item(1), item(2)])
  expect(await listTexts()).toEqual(['words 2', 'words 1'])
  await items.discard('item-1')
  expect(await listTexts()).toEqual(['words 2'])
  const heard = new Promise<void>((resolve) => {
    const stop = items.subscribe(() => {
      stop()
      resolve()
    })
  })
  await items.discardAll()
  await heard
  expect(await listTexts()).toEqual([])
})

test('removes sent files; with the last file the whole item', async () => {
  const { items, listTexts } = await start([item(1, { files: [file(0), file(1)] })])
  await items.dropFiles('item-1', [0])
  const [left] = await items.list()
  expect(left?.files.map(({ key }) => key)).toEqual([1])
  expect(await left?.files[0]?.file.text()).toBe('file 1')
  await items.dropFiles('item-1', [1])
  expect(await listTexts()).toEqual([])
  await items.dropFiles('item-1', [1])
})

test('P8: offers a person’s shared items to nobody else, and keeps them when another logs out', async () => {
  const { items, listTexts } = await start([item(1, { ownerId: ben }), item(2, { ownerId: ann })])
  expect(await listTexts()).toEqual(['words 2'])
  await items.discardAll()
  expect(await listTexts()).toEqual([])
  expect(await listTexts(ben)).toEqual(['words 1'])
})

test('P8: items shared while nobody was signed in belong to the first who signs in', async () => {
  const { listTexts } = await start([item(1), item(2, { ownerId: ben })])
  expect(await listTexts()).toEqual(['words 1'])
  expect(await listTexts(ben)).toEqual(['words 2'])
  expect(await listTexts()).toEqual(['words 1'])
})
