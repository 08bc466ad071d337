import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import type { PictureBudget } from '../../database/storage/kept-pictures.ts'
import { openPeopleStore } from '../../database/storage/people-store.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { createPictures } from './pictures.ts'

const address = (number: number) => `/api/media/${number}`
const jpeg = (bytes = 4) => new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' })

/** A device whose server answers as told; `open` is a tab. */
function start(answer: (mediaUrl: string) => Promise<Blob>) {
  const indexedDB = new IDBFactory()
  const requests: string[] = []
  const time = { now: 1 }
  function open(budget?: PictureBudget) {
    const store = openPeopleStore({ name: 'pictures', indexedDB, IDBKeyRange })
    const opened = createPictures({
      table: store.pictures,
      async download({ mediaUrl }) {
        requests.push(mediaUrl)
        return await answer(mediaUrl)
      },
      now: () => time.now,
      random: () => 0,
      onError: (cause) => {
        throw cause
      },
      ...(budget && { budget }),
    })
    const close = () => {
      opened.close()
      store.close()
    }
    onTestFinished(close)
    return { ...opened, close, store }
  }
  return { open, requests, time }
}

test('a picture is fetched once for all who show it, and is there without a network afterwards', async () => {
  const { open, requests } = start(async () => jpeg())
  const first = open()
  const shown = first.pictures.get(address(1))
  expect(first.pictures.get(address(1))).toBe(shown)
  const stop = shown.subscribe(() => {})
  await untilLive(shown, (picture) => picture !== undefined)
  stop()
  await expect.poll(() => first.store.pictures.count()).toBe(1)
  first.close()
  const second = open()
  await untilLive(second.pictures.get(address(1)), (url) => url?.startsWith('blob:') ?? false)
  expect(requests).toEqual([address(1)])
})

test('a picture that the server does not have, or that is none, is not asked for again', async () => {
  const { open, requests } = start(async (mediaUrl) => {
    if (mediaUrl === address(2)) return new Blob(['<svg/>'], { type: 'text/html' })
    throw new ApiError({ status: 404, code: 'media_not_found', words: 'No such file' })
  })
  const { pictures } = open()
  for (const number of [1, 2, 1, 2]) pictures.get(address(number)).subscribe(() => {})
  await expect.poll(() => requests.toSorted()).toEqual([address(1), address(2)])
  await Promise.resolve()
  for (const number of [1, 2]) {
    pictures.get(address(number)).subscribe(() => {})
    expect(pictures.get(address(number)).getSnapshot()).toBeUndefined()
  }
  expect(requests).toHaveLength(2)
})

test('P12: a hundred pictures are at most three requests at a time, and a failing server waits for a sign of life', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const state = { isUp: false, open: 0, most: 0 }
  const { open, requests } = start(async () => {
    state.open += 1
    state.most = Math.max(state.most, state.open)
    await new Promise((resolve) => setImmediate(resolve))
    state.open -= 1
    if (!state.isUp) throw new ApiError({ status: 503, code: 'busy', words: 'Busy' })
    return jpeg()
  })
  const { pictures, hurry } = open()
  const all = Array.from({ length: 100 }, (_, number) => pictures.get(address(number)))
  for (const picture of all) picture.subscribe(() => {})
  await expect.poll(() => requests.length > 0 && state.open === 0).toBe(true)
  expect(requests.length).toBeLessThanOrEqual(3)
  state.isUp = true
  hurry()
  await expect.poll(() => all.every((picture) => picture.getSnapshot() !== undefined)).toBe(true)
  expect(state.most).toBeLessThanOrEqual(3)
})

test('P12: the pictures shown longest ago leave when there are too many', async () => {
  const { open, time } = start(async () => jpeg(10))
  const { pictures, store } = open({ bytes: 25, count: 10 })
  for (const number of [1, 2, 3]) {
    time.now = number
    pictures.get(address(number)).subscribe(() => {})
    await expect.poll(async () => Boolean(await store.pictures.get(address(number)))).toBe(true)
  }
  await expect
    .poll(async () => (await store.pictures.toCollection().primaryKeys()).toSorted())
    .toEqual([address(2), address(3)])
})

test('a picture that its person no longer has leaves the device', async () => {
  const { open } = start(async () => jpeg())
  const { pictures, store, drop } = open()
  pictures.get(address(1)).subscribe(() => {})
  await expect.poll(() => store.pictures.count()).toBe(1)
  await drop(address(1))
  expect(await store.pictures.count()).toBe(0)
})
