import { encode } from 'uqr'
import { afterEach, expect, test, vi } from 'vitest'
import { openCodeReader } from './open-code-reader.ts'
import { readDeviceCode } from './read-device-code.ts'

const id = 'AbCdEfGhIjKlMnOpQrSt_-'
const link = `https://chat.example.org/link#${id}`

afterEach(() => vi.unstubAllGlobals())

/** What a camera sees: the code as the sign-in screen draws it, on grey, a little uneven. */
function drawFrame(text: string | undefined): ImageData {
  const { data: rows, size } = encode(text ?? ' ', { ecc: 'M', border: 0 })
  const [scale, margin] = [5, 45]
  const side = size * scale + 2 * margin
  const data = new Uint8ClampedArray(side * side * 4)
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [at % side, Math.floor(at / side)]
    const column = Math.floor((x - margin) / scale)
    const isDark = text !== undefined && rows[Math.floor((y - margin) / scale)]?.[column]
    const light = (isDark ? 40 : 205) + ((x * 7 + y * 13) % 11)
    data.set([light, light, light, 255], at * 4)
  }
  return { data, width: side, height: side, colorSpace: 'srgb' } as ImageData
}

/** Stands for a browser's reader; made with `new`. */
function readsLink() {
  return { detect: async () => [{ rawValue: link }] }
}
readsLink.getSupportedFormats = async () => ['qr_code']

test('our reader reads the code of a sign-in screen, where the browser has none', async () => {
  const readCode = await openCodeReader()
  const text = await readCode(drawFrame(link))
  expect(text).toBe(link)
  expect(readDeviceCode(text ?? '')).toBe(id)
  expect(await readCode(drawFrame(undefined))).toBeUndefined()
})

test('the browser’s reader is used where it knows QR codes', async () => {
  vi.stubGlobal('BarcodeDetector', readsLink)
  const readCode = await openCodeReader()
  expect(await readCode(drawFrame(undefined))).toBe(link)
})

test.each([
  [link, id],
  [` #${id}\n`, id],
  [id, id],
  [`https://chat.example.org/chat#${id}`, undefined],
  [`https://chat.example.org/link#${id}x`, undefined],
  ['https://chat.example.org/link', undefined],
  ['WIFI:T:WPA;S:ship;P:storm;;', undefined],
  ['', undefined],
])('%j stands for the device %s', (text, found) => {
  expect(readDeviceCode(text)).toBe(found)
})
