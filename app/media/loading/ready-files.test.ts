import { expect, test } from 'vitest'
import { createReadyFiles } from './ready-files.ts'

const megabyte = 1024 * 1024
const bytesOf = (size: number) => new Blob([new Uint8Array(size)], { type: 'image/jpeg' })

/** Can its address still be read? */
const isLive = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

function open() {
  const decoded: string[] = []
  const ready = createReadyFiles((url) => decoded.push(url))
  const show = (id: string, size = 1) => ready.hold(id, bytesOf(size))
  return { ready, decoded, show }
}

test('a file that went out of sight is there again with the same address, decoded once', async () => {
  const { ready, decoded, show } = open()
  const first = show('a')
  first.release()
  expect(ready.find('a')?.url).toBe(first.url)
  const again = show('a')
  expect(again.url).toBe(first.url)
  expect(decoded).toEqual([first.url])
  expect(await isLive(first.url)).toBe(true)
})

test('of those out of sight only the last forty stay, and what is on the screen stays whatever its number', async () => {
  const { ready, show } = open()
  const shown = show('shown')
  const gone = show('gone')
  gone.release()
  for (let number = 0; number < 40; number++) show(`n${number}`).release()
  expect(ready.find('gone')).toBeUndefined()
  expect(await isLive(gone.url)).toBe(false)
  expect(ready.find('n0')).toBeDefined()
  expect(ready.find('shown')?.url).toBe(shown.url)
  expect(await isLive(shown.url)).toBe(true)
})

test('nor more than 32 MB of them', async () => {
  const { ready, show } = open()
  const large = show('large', 20 * megabyte)
  large.release()
  show('second', 13 * megabyte).release()
  expect(ready.find('large')).toBeUndefined()
  expect(await isLive(large.url)).toBe(false)
  expect(ready.find('second')).toBeDefined()
})

test('what two views show stays until both are gone', () => {
  const { ready, show } = open()
  const [inChat, inGallery] = [show('a', 33 * megabyte), show('a', 33 * megabyte)]
  inGallery.release()
  inGallery.release()
  expect(ready.find('a')?.url).toBe(inChat.url)
  inChat.release()
  expect(ready.find('a')).toBeUndefined()
})

test('what the device has no longer is forgotten at once, and freed when the screen lets it go', async () => {
  const { ready, show } = open()
  const shown = show('a')
  ready.forget('a')
  expect(ready.find('a')).toBeUndefined()
  expect(await isLive(shown.url)).toBe(true)
  shown.release()
  expect(await isLive(shown.url)).toBe(false)
  const idle = show('b')
  idle.release()
  ready.clear()
  expect(ready.find('b')).toBeUndefined()
  expect(await isLive(idle.url)).toBe(false)
})
