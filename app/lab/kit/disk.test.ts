import { expect, onTestFinished, test, vi } from 'vitest'
import { createLabDisk } from './disk.ts'

/** A device's only database, with one store. */
async function openStore() {
  const disk = createLabDisk()
  const opening = disk.indexedDB.open('notes')
  opening.onupgradeneeded = () => opening.result.createObjectStore('notes')
  await new Promise((resolve) => {
    opening.onsuccess = resolve
  })
  /** Resolves when it is stored, or with the error's name when it is not. */
  const write = (text: string) =>
    new Promise<string>((resolve) => {
      const transaction = opening.result.transaction('notes', 'readwrite')
      transaction.oncomplete = () => resolve('stored')
      transaction.onabort = () => resolve(transaction.error?.name ?? 'aborted')
      transaction.objectStore('notes').put(text, 'only')
    })
  const read = () =>
    new Promise((resolve) => {
      const request = opening.result.transaction('notes').objectStore('notes').get('only')
      request.onsuccess = () => resolve(request.result)
    })
  return { disk, write, read }
}

/** Everything that waits for no timer has had its turn. */
async function untilIdle() {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('a write to a slow disk takes its time, and holds back what comes behind it', async () => {
  const { disk, write, read } = await openStore()
  await write('first')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  disk.slowDown(200)
  const done: string[] = []
  void write('second').then(() => done.push('written'))
  disk.makeRoom()
  void read().then((text) => done.push(`read ${text}`))
  await untilIdle()
  vi.advanceTimersByTime(199)
  await untilIdle()
  expect(done).toEqual([])
  vi.advanceTimersByTime(1)
  await untilIdle()
  expect(done).toEqual(['written', 'read second'])
})

test('a failing disk stores nothing of a transaction that it took, and the next ones again', async () => {
  const { disk, write, read } = await openStore()
  await write('first')
  disk.failCommits(2)
  expect(await read()).toBe('first')
  expect(await write('second')).toBe('UnknownError')
  expect(await write('third')).toBe('UnknownError')
  expect(await read()).toBe('first')
  expect(disk.hadTrouble()).toBe(true)
  expect(await write('fourth')).toBe('stored')
  expect(await read()).toBe('fourth')
})

test('a disk that has room again fails no more', async () => {
  const { disk, write } = await openStore()
  disk.failCommits(5)
  disk.makeRoom()
  expect(await write('first')).toBe('stored')
})
