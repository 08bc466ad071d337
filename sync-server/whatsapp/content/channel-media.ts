import { createHash } from 'node:crypto'
import { open as openFile, rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import type { GraphClient } from '../client/graph-client.ts'
import type { Fetched } from '../client/number-information.ts'
import type { WhatsAppSettings } from '../client/whatsapp-settings.ts'
import { stripParameters } from './media-types.ts'

export interface MediaInformation {
  url: string
  mimeType: string
  /** As given: hexadecimal or base64. */
  sha256: string | null
}

/**
 * A download's result. `gone`: no longer available. `refused`: unavailable, and a retry would not
 * help. `later`: retry.
 */
export type Download =
  | { kind: 'ready'; bytes: number; sha256: string; mimeType: string }
  | { kind: 'gone' | 'refused' | 'later'; why: string }

const fileMaxBytes = 100 * 1024 * 1024
const uploadDueWithinMs = 60_000
const downloadDueWithinMs = 120_000
const redirectsMax = 3

const uploaded = z.looseObject({ id: z.string() })
const information = z.looseObject({
  url: z.string(),
  mime_type: z.catch(z.string(), 'application/octet-stream'),
  sha256: z.catch(z.optional(z.string()), undefined),
})

/**
 * Messages' files, both ways: uploads ours and sends them by id, downloads theirs into files of
 * ours.
 */
export function createWhatsAppMedia(options: {
  client: GraphClient
  settings: Pick<WhatsAppSettings, 'graphBaseUrl' | 'mediaHosts' | 'accessToken'>
  /** For tests: a smaller cap. */
  maxBytes?: number
}) {
  const { client, settings, maxBytes = fileMaxBytes } = options

  async function describe(media: {
    mediaId: string
    phoneNumberId: string
  }): Promise<Fetched<MediaInformation>> {
    const answer = await client.call({
      method: 'GET',
      path: encodeURIComponent(media.mediaId),
      query: { phone_number_id: media.phoneNumberId },
    })
    if (answer.kind === 'refused') return answer
    if (answer.kind === 'unknown') return { kind: 'unanswered', why: answer.why }
    const read = information.safeParse(answer.body)
    if (!read.success) return { kind: 'unanswered', why: 'the answer was not about a file' }
    const { url, mime_type, sha256 = null } = read.data
    return { kind: 'found', value: { url, mimeType: mime_type, sha256 } }
  }

  /** @returns the answer with the file, `missing` for an expired address, or the reason why not */
  async function open(
    address: string,
    signal: AbortSignal,
  ): Promise<{ response: Response } | 'missing' | Exclude<Download, { kind: 'ready' }>> {
    const place = { url: address }
    for (let count = 0; count <= redirectsMax; count += 1) {
      if (!isMediaHost(place.url, settings)) {
        return { kind: 'refused', why: 'the file lies at a host that is not allowed' }
      }
      const response = await fetch(place.url, {
        headers: { authorization: `Bearer ${settings.accessToken}`, 'user-agent': 'Petrel' },
        redirect: 'manual',
        signal,
      })
      if (response.ok) return { response }
      await response.body?.cancel()
      const next = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || !next) {
        if ([401, 403, 404, 410].includes(response.status)) return 'missing'
        return { kind: 'later', why: `HTTP ${response.status}` }
      }
      place.url = new URL(next, place.url).href
    }
    return { kind: 'refused', why: 'the file was sent from one address to the next' }
  }

  async function save(response: Response, path: string) {
    const hash = createHash('sha256')
    const counted = { bytes: 0 }
    const watch = new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        counted.bytes += chunk.length
        hash.update(chunk)
        done(counted.bytes > maxBytes ? new TooLarge() : null, chunk)
      },
    })
    if (!response.body) throw new Error('an answer without a body')
    // Opened before the first byte: a pipeline that fails earlier ends while its file is still
    // being created, and a removal then comes too soon.
    const file = await openFile(path, 'w', 0o600)
    await pipeline(response.body, watch, file.createWriteStream())
    return { bytes: counted.bytes, sha256: hash.digest('hex') }
  }

  async function fetchTo(found: MediaInformation, path: string): Promise<Download | 'missing'> {
    const signal = AbortSignal.timeout(downloadDueWithinMs)
    const opened = await open(found.url, signal)
    if (opened === 'missing' || 'kind' in opened) return opened
    const saved = await save(opened.response, path)
    if (found.sha256 !== null && saved.sha256 !== toHex(found.sha256)) {
      await rm(path, { force: true })
      return { kind: 'later', why: 'the file came changed' }
    }
    return { kind: 'ready', ...saved, mimeType: stripParameters(found.mimeType) }
  }

  /** As `fetchTo`; a failure leaves no partial file behind. */
  async function tryFetch(found: MediaInformation, path: string): Promise<Download | 'missing'> {
    try {
      return await fetchTo(found, path)
    } catch (error) {
      await rm(path, { force: true })
      if (error instanceof TooLarge) return { kind: 'refused', why: 'the file is too large' }
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return { kind: 'later', why: cause?.code ?? name }
    }
  }

  return {
    describe,

    /** Uploads a file of ours. @returns its id, valid for thirty days */
    async upload(file: {
      phoneNumberId: string
      bytes: Blob
      mimeType: string
      filename: string
    }): Promise<Fetched<string>> {
      const mimeType = stripParameters(file.mimeType)
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('type', mimeType)
      form.set('file', new File([file.bytes], file.filename, { type: mimeType }))
      const path = `${encodeURIComponent(file.phoneNumberId)}/media`
      const timeoutMs = uploadDueWithinMs
      const answer = await client.call({ method: 'POST', path, form, timeoutMs })
      if (answer.kind === 'refused') return answer
      const read = uploaded.safeParse(answer.kind === 'ok' ? answer.body : undefined)
      // A second upload only costs bytes: nobody sees a file that no message names.
      if (!read.success) return { kind: 'unanswered', why: 'the answer named no file' }
      return { kind: 'found', value: read.data.id }
    },

    /**
     * Downloads a customer's file. Requests an expired address again, once.
     * @param url from the webhook, if any
     * @param sha256 from the webhook; the received file must match
     */
    async download(media: {
      mediaId: string
      phoneNumberId: string
      url?: string | undefined
      mimeType?: string | undefined
      sha256?: string | undefined
      path: string
    }): Promise<Download> {
      const { url, mimeType = 'application/octet-stream', sha256 = null, path } = media
      if (url !== undefined) {
        const first = await tryFetch({ url, mimeType, sha256 }, path)
        if (first !== 'missing') return first
      }
      const found = await describe(media)
      if (found.kind === 'unanswered') return { kind: 'later', why: found.why }
      if (found.kind === 'refused') {
        const { remedy, code } = found.error
        const isOver = remedy === 'none'
        return { kind: isOver ? 'gone' : 'later', why: `WhatsApp answered ${code}` }
      }
      const second = await tryFetch({ ...found.value, sha256: sha256 ?? found.value.sha256 }, path)
      return second === 'missing' ? { kind: 'later', why: 'the address was over' } : second
    },

    /** @returns whether it is gone */
    async remove(media: { mediaId: string; phoneNumberId: string }): Promise<boolean> {
      const answer = await client.call({
        method: 'DELETE',
        path: encodeURIComponent(media.mediaId),
        query: { phone_number_id: media.phoneNumberId },
      })
      return answer.kind === 'ok'
    },
  }
}

class TooLarge extends Error {
  override name = 'TooLarge'
}

/** Webhooks encode the checksum in base64, the API in hexadecimal. */
function toHex(sha256: string): string {
  if (/^[0-9a-f]{64}$/i.test(sha256)) return sha256.toLowerCase()
  return Buffer.from(sha256, 'base64').toString('hex')
}

/**
 * May a file be fetched from this host, with the token? Only over HTTPS from the configured hosts,
 * or from the Graph API's own address.
 */
export function isMediaHost(
  address: string,
  settings: { graphBaseUrl: string; mediaHosts: readonly string[] },
): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username || url.password) return false
  if (url.origin === new URL(settings.graphBaseUrl).origin) return true
  if (url.protocol !== 'https:' || url.port !== '') return false
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  return settings.mediaHosts.some((suffix) => {
    const name = suffix.replace(/^\./, '')
    return host === name || host.endsWith(`.${name}`)
  })
}
