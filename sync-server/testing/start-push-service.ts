import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type PushPayload,
  type PushRead,
  type PushSubscriptionBody,
  pushPayload,
  pushRead,
} from '../../schema/api/push.ts'

/** A push as the service took it, decrypted as the browser would. */
export interface TakenPush {
  path: string
  payload: PushPayload
  /** All that the service itself can read. */
  headers: Record<string, string | string[] | undefined>
  claims: { aud: string; exp: number; sub: string }
}

/** A push that only says what was read. */
type TakenRead = Omit<TakenPush, 'payload'> & { payload: PushRead }

interface Answer {
  status: number
  headers?: Record<string, string>
}

/**
 * For tests: a push service and its browsers. It answers 400 to a push that is not signed for it
 * (RFC 8292) or that the browser cannot decrypt (RFC 8291), and records why.
 */
export async function startPushService() {
  const browsers = new Map<string, { keys: ECDH; auth: Uint8Array; signer?: string | undefined }>()
  const taken: TakenPush[] = []
  const reads: TakenRead[] = []
  const problems: string[] = []
  const state = { answer: undefined as Answer | undefined, asked: 0 }

  const server = createServer((request, response) => {
    const parts: number[][] = []
    request.on('data', (part: Buffer) => parts.push([...part]))
    request.on('end', () => {
      state.asked += 1
      const { status, headers } = state.answer ?? take(request, Uint8Array.from(parts.flat()))
      response.writeHead(status, { 'content-length': 0, ...headers }).end()
    })
  })

  function take(
    request: { url?: string; headers: TakenPush['headers'] },
    body: Uint8Array,
  ): Answer {
    const path = request.url ?? ''
    const browser = browsers.get(path)
    if (!browser) return { status: 410 }
    try {
      const claims = checkSignature(String(request.headers.authorization), url, browser.signer)
      const said: unknown = JSON.parse(decrypt(body, browser))
      const rest = { path, claims, headers: request.headers }
      const read = pushRead.safeParse(said)
      if (read.success) reads.push({ ...rest, payload: read.data })
      else taken.push({ ...rest, payload: pushPayload.parse(said) })
      return { status: 201 }
    } catch (error) {
      problems.push(String(error))
      return { status: 400 }
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    taken,
    reads,
    problems,
    countAsked: () => state.asked,
    /** A browser's subscription, as it gives it to its page. @param signer whose pushes it takes */
    subscribe(signer?: string): PushSubscriptionBody {
      const keys = createECDH('prime256v1')
      keys.generateKeys()
      const auth = Uint8Array.from(randomBytes(16))
      const path = `/push/${randomBytes(16).toString('base64url')}`
      browsers.set(path, { keys, auth, signer })
      const p256dh = keys.getPublicKey('base64url')
      return {
        endpoint: `${url}${path}`,
        keys: { p256dh, auth: Buffer.from(auth).toString('base64url') },
      }
    },
    /** From now on the browser is gone. */
    unsubscribe: ({ endpoint }: PushSubscriptionBody) =>
      void browsers.delete(new URL(endpoint).pathname),
    /** Answers everything with this; undefined works again. */
    answerWith(answer: Answer | undefined) {
      state.answer = answer
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** RFC 8292: the JWT is signed with the key beside it, for this service, and is not over. */
function checkSignature(authorization: string, audience: string, signer: string | undefined) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isSigned = verify(
    'sha256',
    encode(`${head}.${body}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Uint8Array.from(Buffer.from(signature, 'base64url')),
  )
  if (!isSigned) throw new Error('The signature is wrong.')
  if (signer && signer !== key) throw new Error('Another server signed it.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as TakenPush['claims']
  if (claims.aud !== audience) throw new Error(`It is for ${claims.aud}.`)
  const leftSeconds = claims.exp - Date.now() / 1000
  if (leftSeconds < 0 || leftSeconds > 24 * 60 * 60)
    throw new Error('Its time is over, or too far.')
  if (!/^(mailto:|https:)/.test(claims.sub)) throw new Error(`Nobody is at ${claims.sub}.`)
  return claims
}

/** RFC 8188 and 8291, for one record. */
function decrypt(body: Uint8Array, { keys, auth }: { keys: ECDH; auth: Uint8Array }): string {
  const salt = body.slice(0, 16)
  const sender = body.slice(21, 21 + (body[20] ?? 0))
  const sealed = body.slice(21 + sender.length)
  const info = Uint8Array.from([...encode('WebPush: info\0'), ...keys.getPublicKey(), ...sender])
  const shared = Uint8Array.from(keys.computeSecret(sender))
  const secret = new Uint8Array(hkdfSync('sha256', shared, auth, info, 32))
  const derive = (name: string, length: number) =>
    new Uint8Array(hkdfSync('sha256', secret, salt, encode(`Content-Encoding: ${name}\0`), length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(sealed.slice(-16))
  const plain = [...decipher.update(sealed.slice(0, -16)), ...decipher.final()]
  return new TextDecoder().decode(Uint8Array.from(plain.slice(0, plain.lastIndexOf(2))))
}

const encode = (text: string) => new TextEncoder().encode(text)
