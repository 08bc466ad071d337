import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { IDBFactory } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { recordSignedIn } from './record-signed-in.ts'
import { createSharedItems } from './shared-items.ts'

const worker = readFileSync(new URL('../../public/share-target.js', import.meta.url), 'utf8')

/** Runs the service worker's script on this device. */
function startWorker(indexedDB: IDBFactory) {
  const heard: ((event: object) => void)[] = []
  const self = { addEventListener: (_name: string, listener: () => void) => heard.push(listener) }
  const redirect = (path: string) => path
  runInNewContext(worker, {
    self,
    indexedDB,
    crypto,
    URL,
    Date,
    Promise,
    BroadcastChannel,
    Response: { redirect },
  })
  return async (text: string) => {
    const body = new FormData()
    body.append('text', text)
    const request = new Request('http://petrel.example/share', { method: 'POST', body })
    return await new Promise((resolve) => {
      for (const listener of heard) listener({ request, respondWith: resolve })
    })
  }
}

test('P8: marks a shared item with the person who is signed in when it arrives', async () => {
  const indexedDB = new IDBFactory()
  const share = startWorker(indexedDB)
  const listTexts = async (userId: string) =>
    (await createSharedItems({ userId, indexedDB }).list()).map(({ text }) => text).sort()
  await recordSignedIn({ userId: 'ann', indexedDB })
  expect(await share('from ann')).toBe('/share')
  await recordSignedIn({ userId: undefined, indexedDB })
  await share('from nobody')
  expect(await listTexts('ben')).toEqual(['from nobody'])
  expect(await listTexts('ann')).toEqual(['from ann'])
})

test('P1: keeps an item shared before any sign-in', async () => {
  const indexedDB = new IDBFactory()
  expect(await startWorker(indexedDB)('first of all')).toBe('/share')
  expect(await createSharedItems({ userId: 'ann', indexedDB }).list()).toHaveLength(1)
})
