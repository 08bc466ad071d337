import type { Page } from 'playwright-core'
import { v7 as createId } from 'uuid'
import { limits } from '../../../schema/limits.ts'
import type { Account } from '../server/server-accounts.ts'

/**
 * A picture as the browser draws it: a JPEG of a few hundred bytes, and a message's data about it.
 */
interface DrawnPicture {
  base64: string
  width: number
  height: number
  preview: string
}

/** Distinct ones, wide and low, so that many of them keep the page short. */
const drawnCount = 50
const uploadsAtOnce = 4

/**
 * Uploads, then pushes `count` numbered pictures from `author` to `recipientId`, as a device would.
 */
export async function pushPictures(options: {
  page: Page
  origin: string
  author: Account
  recipientId: string
  count: number
}): Promise<void> {
  const { page, origin, author, recipientId, count } = options
  const drawn = await drawPictures(page)
  const addresses = new Map<DrawnPicture, string>()
  for (let done = 0; done < drawn.length; done += uploadsAtOnce) {
    const some = drawn.slice(done, done + uploadsAtOnce)
    const urls = await Promise.all(some.map((each) => upload(origin, author, each)))
    for (const [index, each] of some.entries()) addresses.set(each, urls[index] ?? '')
  }
  const start = Date.now() - count
  const docs = Array.from({ length: count }, (_, index) => {
    const picture = drawn[index % drawn.length]
    if (!picture) throw new Error('No picture was drawn.')
    const { width, height, preview, base64 } = picture
    const size = Buffer.from(base64, 'base64').length
    return {
      _id: createId({ msecs: start + index }),
      peerId: recipientId,
      recipientId,
      senderId: author.userId,
      status: 'sending',
      attempt: 1,
      createdAt: start + index,
      orderedAt: start + index,
      type: 'image',
      content: `picture ${index + 1}`,
      mediaUrl: addresses.get(picture),
      file: { name: `${index + 1}.jpg`, mimeType: 'image/jpeg', size, width, height, preview },
    }
  })
  for (let done = 0; done < docs.length; done += limits.syncBatchMaxDocuments) {
    const some = docs.slice(done, done + limits.syncBatchMaxDocuments)
    const rows = await ask(`${origin}/sync/messages/_bulk_docs`, author, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ docs: some }),
    })
    if (!rows.every((row: { ok?: boolean }) => row.ok)) throw new Error(JSON.stringify(rows[0]))
  }
}

function drawPictures(page: Page): Promise<DrawnPicture[]> {
  return page.evaluate((count) => {
    const canvas = document.createElement('canvas')
    const context = canvas.getContext('2d')
    if (!context) throw new Error('There is no canvas here.')
    const draw = (width: number, height: number, hue: number) => {
      Object.assign(canvas, { width, height })
      context.fillStyle = `hsl(${hue} 60% 45%)`
      context.fillRect(0, 0, width, height)
      context.fillStyle = `hsl(${hue + 120} 70% 70%)`
      context.fillRect(width / 3, height / 4, width / 3, height / 2)
      return canvas.toDataURL('image/jpeg', 0.6)
    }
    return Array.from({ length: count }, (_, index) => {
      const [width, height] = [320, 64 + (index % 5) * 12]
      const hue = (index * 47) % 360
      const base64 = draw(width, height, hue).split(',')[1] ?? ''
      return { width, height, base64, preview: draw(16, 4, hue) }
    })
  }, drawnCount)
}

async function upload(origin: string, author: Account, { base64 }: DrawnPicture) {
  const body = new FormData()
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'))
  body.append('file', new Blob([bytes], { type: 'image/jpeg' }), 'picture.jpg')
  const { mediaUrl } = await ask(`${origin}/api/messages/upload`, author, { body })
  return mediaUrl
}

async function ask(url: string, { token }: Account, request: RequestInit) {
  const headers = { ...request.headers, authorization: `Bearer ${token}` }
  const response = await fetch(url, { ...request, method: 'POST', headers })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
