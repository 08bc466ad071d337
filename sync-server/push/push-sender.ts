import { createHash } from 'node:crypto'
import http, { type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { LRUCache } from 'lru-cache'
import webPush from 'web-push'
import type { PushPayload, PushRead } from '../../schema/api/push.ts'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import { atMost } from '../lib/at-most.ts'
import { createPublicLookUp } from '../lib/public-address.ts'
import { isPushKey, type PushKeys } from './push-keys.ts'

/**
 * `gone`: this device takes no more pushes. `later`: its service is away or busy, for `afterMs`
 * where it says so. `refused`: it does not take this one, and would not take it again.
 */
export type PushOutcome =
  | { kind: 'sent' }
  | { kind: 'gone' }
  | { kind: 'refused'; status: number }
  | { kind: 'later'; afterMs?: number | undefined; why: string }

/** Encrypted for one device, and signed for its service. */
export interface SealedPush {
  url: URL
  body: Buffer
  headers: OutgoingHttpHeaders
}

/** A device that was off for longer hears about its messages when it syncs. */
const keptByServiceSeconds = 24 * 60 * 60
const answerDueWithinMs = 10_000
const signedForMs = 6 * 60 * 60 * 1000
const openConnectionsMax = 4

/**
 * Encrypts a payload for one device and hands it to the device's push service. Never follows a
 * redirect. Sources: RFC 8030, 8291 and 8292.
 * @param subject how a push service reaches the operator: `mailto:` or `https:`
 * @param isLoopbackAllowed for tests: a push service on this machine, over HTTP
 */
export function createPushSender(options: {
  keys: PushKeys
  subject: string
  isLoopbackAllowed: boolean
  now: () => number
}) {
  const { keys, subject, isLoopbackAllowed, now } = options
  const pool = { keepAlive: true, maxSockets: openConnectionsMax }
  const agents = {
    'https:': new https.Agent({
      ...pool,
      ...(!isLoopbackAllowed && { lookup: createPublicLookUp() }),
    }),
    'http:': new http.Agent(pool),
  }
  /** One signature serves all pushes to a service for hours; signing each cost a third of a push. */
  const signed = new LRUCache<string, { header: string; at: number }>(atMost(200))

  function sign(origin: string): string {
    const kept = signed.get(origin)
    if (kept && now() - kept.at < signedForMs) return kept.header
    const { publicKey, privateKey } = keys
    const expiry = Math.floor(Date.now() / 1000) + 12 * 60 * 60
    const headers = webPush.getVapidHeaders(
      ...([origin, subject, publicKey, privateKey, 'aes128gcm', expiry] as const),
    )
    signed.set(origin, { header: headers.Authorization, at: now() })
    return headers.Authorization
  }

  /**
   * Costs a good part of a millisecond of the processor: two operations on elliptic curves.
   * @returns undefined for a device whose key is none
   */
  function seal(device: PushDocument, payload: PushPayload | PushRead): SealedPush | undefined {
    const body = encrypt(device, payload)
    if (!body) return undefined
    return {
      url: new URL(device.endpoint),
      body,
      headers: {
        authorization: sign(new URL(device.endpoint).origin),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        'content-length': body.length,
        ttl: keptByServiceSeconds,
        urgency: 'kind' in payload ? 'normal' : 'high',
        // A later push of the same chat, or that it was read, replaces one that the device has not fetched.
        topic: topicKey(device.userId, payload.peerId),
      },
    }
  }

  return {
    seal,
    async send({ url, body, headers }: SealedPush): Promise<PushOutcome> {
      return await new Promise((resolve) => {
        const later = (why: string) => resolve({ kind: 'later', why })
        const isSafe = url.protocol === 'https:'
        const { request } = isSafe ? https : http
        const agent = agents[isSafe ? 'https:' : 'http:']
        const sending = request(url, { method: 'POST', headers, agent }, (response) => {
          clearTimeout(slow)
          // Nothing that a stranger's server says is read, beyond its first line and its headers.
          response.on('error', () => undefined)
          if (Number(response.headers['content-length'] ?? 1) === 0) response.resume()
          else response.destroy()
          resolve(readAnswer(response.statusCode ?? 0, response.headers['retry-after'], now))
        })
        const slow = setTimeout(
          () => sending.destroy(new Error('The push service does not answer.')),
          answerDueWithinMs,
        ).unref()
        sending.on('error', ({ message }) => {
          clearTimeout(slow)
          later(message)
        })
        sending.end(body)
      })
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function encrypt({ keys }: PushDocument, payload: PushPayload | PushRead): Buffer | undefined {
  try {
    const said = JSON.stringify(payload)
    return webPush.encrypt(keys.p256dh, keys.auth, said, 'aes128gcm').cipherText
  } catch (error) {
    if (isPushKey(keys.p256dh)) throw error
    return undefined
  }
}

function readAnswer(
  status: number,
  retryAfter: string | undefined,
  now: () => number,
): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'later', why: `status ${status}`, afterMs: readRetryAfter(retryAfter, now) }
  }
  return { kind: 'refused', status }
}

/** Seconds, or a date: RFC 9110, section 10.2.3. */
function readRetryAfter(value: string | undefined, now: () => number): number | undefined {
  if (!value) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}

/** Says nothing about who writes: the push service sees it. */
function topicKey(userId: string, peerId: string): string {
  return createHash('sha256').update(`${userId} ${peerId}`).digest('base64url').slice(0, 32)
}
