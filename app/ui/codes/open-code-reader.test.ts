import { encodeQR } from 'qr'
import { afterEach, expect, test, vi } from 'vitest'
import { openCodeReader } from './code-camera.tsx'

const link = 'https://chat.example.org/link#AbCdEfGhIjKlMnOpQrSt_-'

afterEach(() => vi.unstubAllGlobals())

/** What a camera sees: the code as the sign-in screen draws it, on grey, a little uneven. */
function drawFrame(text: string | undefined): ImageData {
  const rows = encodeQR(text ?? ' ', 'raw', { ecc: 'medium', border: 1 })
  const size = rows.length
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
  expect(await readCode(drawFrame(link))).toBe(link)
  expect(await readCode(drawFrame(undefined))).toBeUndefined()
})

test('the browser’s reader is used where it knows QR codes', async () => {
  vi.stubGlobal('BarcodeDetector', readsLink)
  const readCode = await openCodeReader()
  expect(await readCode(drawFrame(undefined))).toBe(link)
})
