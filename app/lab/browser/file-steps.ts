import { deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { crc32 } from '../../sync/archive/zip-writer.ts'

export interface GivenFile {
  name: string
  mimeType: string
  buffer: Buffer
}

/** A harbour photo with a camera's file name: JPEG, of the given pixels. */
export async function drawPhoto(
  page: Page,
  { name = 'harbour.jpg', width = 1200, height = 800 } = {},
): Promise<GivenFile> {
  const base64 = await page.evaluate(
    ([wide, high]) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: wide, height: high })
      const context = canvas.getContext('2d')
      if (!context) throw new Error('There is no canvas here.')
      const sky = context.createLinearGradient(0, 0, 0, high)
      for (const [at, colour] of [
        [0, '#27496b'],
        [0.55, '#f0b27a'],
        [0.56, '#1d5b62'],
        [1, '#0b2f36'],
      ] as const) {
        sky.addColorStop(at, colour)
      }
      context.fillStyle = sky
      context.fillRect(0, 0, wide, high)
      context.fillStyle = '#f7e3b5'
      context.beginPath()
      context.arc(wide * 0.7, high * 0.4, high * 0.09, 0, 7)
      context.fill()
      return canvas.toDataURL('image/jpeg', 0.9).split(',')[1] ?? ''
    },
    [width, height] as const,
  )
  return { name, mimeType: 'image/jpeg', buffer: Buffer.from(base64, 'base64') }
}

/**
 * A video of a second, or a little more, as a browser records it: first red on the left and blue on the right, finally
 * green.
 */
export async function recordVideo(
  page: Page,
  { name = 'clip.webm', width = 480, height = 320 } = {},
): Promise<GivenFile> {
  const base64 = await page.evaluate(
    async ([wide, high]) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: wide, height: high })
      const context = canvas.getContext('2d')
      if (!context) throw new Error('There is no canvas here.')
      const fill = (colour: string, [x, y, w, h]: [number, number, number, number]) => {
        context.fillStyle = colour
        context.fillRect(x * wide, y * high, w * wide, h * high)
      }
      const draw = (frame: number) => {
        fill(frame < 30 ? '#d02020' : '#20a040', [0, 0, 0.5, 1])
        fill(frame < 30 ? '#2030d0' : '#20a040', [0.5, 0, 0.5, 1])
        // An unchanged picture makes no frame.
        fill('#ffffff', [(frame % 20) / 20, 0.48, 0.05, 0.04])
      }
      draw(0)
      const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      let isBegun = false
      recorder.ondataavailable = ({ data }) => {
        parts.push(data)
        isBegun ||= data.size > 0
      }
      const stopped = new Promise((resolve) => {
        recorder.onstop = resolve
      })
      recorder.start(50)
      // A busy machine's recorder begins late, and would miss the first half.
      for (let frame = 1; !isBegun; frame = (frame + 1) % 30) {
        await new Promise(requestAnimationFrame)
        draw(frame)
      }
      for (let frame = 1; frame < 60; frame++) {
        await new Promise(requestAnimationFrame)
        draw(frame)
      }
      recorder.stop()
      await stopped
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    },
    [width, height] as const,
  )
  return { name, mimeType: 'video/webm', buffer: Buffer.from(base64, 'base64') }
}

/** A PNG of one pixel that is red first, then blue. */
export function writeAnimation(name: string): GivenFile {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return new Uint8Array(bytes)
  }
  const text = (words: string) => new Uint8Array(Buffer.from(words, 'latin1'))
  const join = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
  const chunk = (kind: string, ...data: readonly Uint8Array[]) => {
    const body = join(text(kind), ...data)
    return join(number(body.length - 4), body, number(crc32(body)))
  }
  const frame = (at: number) =>
    chunk('fcTL', ...[at, 1, 1, 0, 0].map(number), new Uint8Array([0, 1, 0, 2, 0, 0]))
  const pixel = (...colour: number[]) => new Uint8Array(deflateSync(new Uint8Array([0, ...colour])))
  const bytes = join(
    text('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', number(1), number(1), new Uint8Array([8, 2, 0, 0, 0])),
    chunk('acTL', number(2), number(0)),
    frame(0),
    chunk('IDAT', pixel(255, 0, 0)),
    frame(1),
    chunk('fdAT', number(2), pixel(0, 0, 255)),
    chunk('IEND'),
  )
  return { name, mimeType: 'image/png', buffer: Buffer.from(bytes) }
}

export function writeText(name: string, text: string): GivenFile {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
}

/** Chooses files in the attach menu; resolves when the send dialog shows them. */
export async function attach(page: Page, action: string, files: GivenFile[]) {
  await page.getByRole('button', { name: 'Attach' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  await (await choosing).setFiles(files)
  await sendDialog(page).waitFor()
}

export function sendDialog(page: Page) {
  return page.getByRole('dialog', { name: /^Send (file|\d+ files)$/ })
}

/** Drops files on an element, or only holds them over it. */
export async function dragFiles(page: Page, files: GivenFile[], kinds: readonly string[]) {
  const given = files.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }))
  await page.getByRole('region', { name: /^Chat with / }).evaluate(
    (section, { given, kinds }) => {
      const dataTransfer = new DataTransfer()
      for (const { name, mimeType, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        dataTransfer.items.add(new File([bytes], name, { type: mimeType }))
      }
      for (const kind of kinds) {
        const shared = { bubbles: true, cancelable: true }
        section.dispatchEvent(
          kind === 'paste'
            ? new ClipboardEvent(kind, { ...shared, clipboardData: dataTransfer })
            : new DragEvent(kind, { ...shared, dataTransfer }),
        )
      }
    },
    { given, kinds },
  )
}

interface Shared {
  title?: string
  text?: string
  url?: string
  files?: GivenFile[]
}

/** Shares like another app: posts a form to the manifest's address. */
export async function share(page: Page, { files = [], ...words }: Shared) {
  const given = files.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }))
  const arriving = page.waitForEvent('load')
  await page.evaluate(
    ({ words, given }) => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: '/share', enctype: 'multipart/form-data' })
      for (const [name, value] of Object.entries(words)) {
        form.append(Object.assign(document.createElement('input'), { name, value }))
      }
      const input = Object.assign(document.createElement('input'), { type: 'file', name: 'files' })
      const data = new DataTransfer()
      for (const { name, mimeType, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        data.items.add(new File([bytes], name, { type: mimeType }))
      }
      input.files = data.files
      form.append(input)
      document.body.append(form)
      form.submit()
    },
    { words, given },
  )
  await arriving
}
