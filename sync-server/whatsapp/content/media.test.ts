import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openTestChannel } from '../../testing/open-test-channel.ts'
import { parseWebhook } from '../inbound/parse-webhook.ts'
import { createWhatsAppMedia, isMediaHost } from './channel-media.ts'
import { refuseMedia } from './media-types.ts'
import { validateMessage } from './validate-message.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const ann = '15555550100'

async function openMedia({ maxBytes }: { maxBytes?: number } = {}) {
  const channel = await openTestChannel()
  const folder = await mkdtemp(join(tmpdir(), 'petrel-media-'))
  open.push(channel.close, () => rm(folder, { recursive: true }))
  const { client, settings, emulator } = channel
  const media = createWhatsAppMedia({ client, settings, ...(maxBytes && { maxBytes }) })
  await channel.listen()

  /** A file from Ann, as the webhook describes it. */
  async function receive(type = 'image', sample: 'image' | 'voice' | 'document' = 'image') {
    channel.heard.length = 0
    emulator.inbound({ from: ann, type, file: { sample }, content: {} })
    await emulator.advance(0)
    const [item] = (await parseWebhook(JSON.parse(channel.heard[0]?.body ?? ''))) ?? []
    if (item?.kind !== 'message' || item.content.kind !== 'file') throw new Error('no file')
    const { mediaId, url, sha256, mimeType } = item.content
    return {
      mediaId,
      phoneNumberId: item.phoneNumberId,
      mimeType,
      path: join(folder, mediaId),
      ...(url !== null && { url }),
      ...(sha256 !== null && { sha256 }),
    }
  }

  return { ...channel, media, receive }
}

describe('what a customer sent', () => {
  test.each([
    ['image', 'image', 'image/png'],
    ['audio', 'voice', 'audio/ogg'],
    ['document', 'document', 'application/pdf'],
  ] as const)('is fetched byte for byte: %s', async (type, sample, mimeType) => {
    const { media, receive } = await openMedia()
    const file = await receive(type, sample)
    const got = await media.download(file)
    expect(got).toMatchObject({ kind: 'ready', mimeType })
    const sum = createHash('sha256').update(await readFile(file.path, 'base64'), 'base64')
    expect(sum.digest('base64')).toBe(file.sha256)
  })

  test('is fetched by its id where the webhook brought no address', async () => {
    const { media, receive, emulator } = await openMedia()
    await emulator.configure({ includeMediaUrl: false })
    expect(await media.download(await receive())).toMatchObject({ kind: 'ready' })
  })

  test('is requested once more when its address has expired', async () => {
    const { media, receive, emulator } = await openMedia()
    const file = await receive()
    await emulator.advance(6 * 60_000)
    expect(await media.download(file)).toMatchObject({ kind: 'ready' })
  })

  test('is gone after seven days', async () => {
    const { media, receive, emulator } = await openMedia()
    const file = await receive()
    await emulator.advance(8 * 86_400_000)
    expect(await media.download(file)).toMatchObject({ kind: 'gone' })
    expect(existsSync(file.path)).toBe(false)
  })

  test('that comes changed is thrown away', async () => {
    const { media, receive } = await openMedia()
    const file = await receive()
    const sha256 = createHash('sha256').update('something else').digest('base64')
    expect(await media.download({ ...file, sha256 })).toMatchObject({ kind: 'later' })
    expect(existsSync(file.path)).toBe(false)
  })

  test('that is too large is not kept', async () => {
    const { media, receive } = await openMedia({ maxBytes: 100 })
    const file = await receive()
    expect(await media.download(file)).toEqual({ kind: 'refused', why: 'the file is too large' })
    expect(existsSync(file.path)).toBe(false)
  })

  test('at an address of somebody else is refused, and the token does not get there', async () => {
    const asked: unknown[] = []
    const stranger = createServer((request, response) => {
      asked.push(request.headers.authorization)
      response.end('hello')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    open.push(() => new Promise((resolve) => stranger.close(resolve)))
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/file`
    const { media, receive } = await openMedia()
    const file = await receive()
    expect(await media.download({ ...file, url })).toMatchObject({ kind: 'refused' })
    expect(asked).toEqual([])
  })

  test('waits while the token does not work', async () => {
    const { media, receive, emulator } = await openMedia()
    const { url, ...file } = await receive()
    emulator.rotateToken()
    expect(await media.download(file)).toMatchObject({ kind: 'later' })
    expect(url).toBeDefined()
  })
})

describe('a file of ours', () => {
  test('goes up, without the second half of its type, and is sent by its id', async () => {
    const { media, emulator, say } = await openMedia()
    emulator.inbound({ from: ann, content: 'Hi' })
    const up = await media.upload({
      phoneNumberId: emulator.account.numberId,
      bytes: new Blob(['OggS']),
      mimeType: 'audio/ogg; codecs=opus',
      filename: 'voice.ogg',
    })
    if (up.kind !== 'found') throw new Error(JSON.stringify(up))
    const read = validateMessage('audio', { id: up.value, voice: true })
    if ('refusal' in read) throw new Error(read.refusal)
    expect(await say(ann, { message: read.message })).toMatchObject({ kind: 'accepted' })
    expect(emulator.outbox()[0]?.request).toMatchObject({ audio: { id: up.value, voice: true } })
    const other = { message: read.message, phoneNumberId: emulator.account.secondNumberId }
    expect(await say(ann, other)).toMatchObject({ kind: 'rejected', error: { code: 131009 } })
    const mine = { mediaId: up.value, phoneNumberId: emulator.account.numberId }
    expect(await media.remove(mine)).toBe(true)
    expect((await media.describe(mine)).kind).toBe('refused')
  })

  test('of a format that WhatsApp does not take is refused there', async () => {
    const { media, emulator } = await openMedia()
    const up = await media.upload({
      phoneNumberId: emulator.account.numberId,
      bytes: new Blob(['GIF8']),
      mimeType: 'image/gif',
      filename: 'a.gif',
    })
    expect(up).toMatchObject({ kind: 'refused', error: { code: 100 } })
  })

  test.each([
    ['image/webp', 10, 'image', /cannot send files of this format \(image\/webp\) as image/],
    ['image/jpeg', 5 * 1024 * 1024 + 1, 'image', /too large: WhatsApp takes up to 5 MB/],
    ['image/webp', 500 * 1024 + 1, 'sticker', /up to 500 KB/],
    ['text/html', 10, 'document', /format/],
  ] as const)('%s with %i bytes as %s is refused before', (mimeType, size, type, words) => {
    expect(refuseMedia({ mimeType, size, type })).toMatch(words)
    expect(refuseMedia({ mimeType: 'image/jpeg', size: 5 * 1024 * 1024, type: 'image' })).toBe(null)
  })
})

test.each([
  ['https://lookaside.fbsbx.com/a', true],
  ['https://scontent.xx.fbcdn.net/a', true],
  ['https://graph.facebook.com/a', true],
  ['http://lookaside.fbsbx.com/a', false],
  ['https://lookaside.fbsbx.com:8443/a', false],
  ['https://evilfbsbx.com/a', false],
  ['https://fbsbx.com.evil.example/a', false],
  ['https://user@lookaside.fbsbx.com/a', false],
  ['https://169.254.169.254/latest', false],
  ['https://[::1]/a', false],
  ['file:///etc/passwd', false],
  ['not an address', false],
])('a file may come from %s: %s', (address, isAllowed) => {
  const settings = {
    graphBaseUrl: 'https://graph.facebook.com',
    mediaHosts: ['.fbsbx.com', '.fbcdn.net'],
  }
  expect(isMediaHost(address, settings)).toBe(isAllowed)
})
