import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import express, { type RequestHandler, type Router } from 'express'
import * as z from 'zod/mini'
import type { Levels } from '../../metrics/read-levels.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

const query = z.object({
  'hub.mode': z.string(),
  'hub.challenge': z.string().check(z.minLength(1), z.maxLength(200)),
  'hub.verify_token': z.string(),
})

/** Meta's webhooks reach three megabytes. */
const bodyMaxBytes = 4 * 1024 * 1024

/**
 * `GET` and `POST /webhooks/whatsapp`, for Meta: no sign-in, no cookies. Answers a webhook once it
 * is on disk.
 * @param takeBody wraps the body reader in the limits for strangers
 * @param onInvalidSignature called for each: a wrong app secret makes every real webhook fail
 */
export function createWebhookRouter(options: {
  inbox: Pick<WebhookInbox, 'take'>
  appSecret: string
  verifyToken: string
  /** Bounds a stranger's open requests. */
  admit?: RequestHandler
  takeBody?: (read: RequestHandler) => RequestHandler
  onInvalidSignature: (what: 'wrong' | 'missing') => void
  onError: (error: unknown) => void
}) {
  const { inbox, appSecret, verifyToken, onInvalidSignature, onError } = options
  const { takeBody = (read) => read, admit = letPass } = options
  const counted = { invalid: 0 }
  const router: Router = express.Router({ caseSensitive: true })
  const place = router.route('/webhooks/whatsapp').all((request, _response, next) => {
    request.routeName = `${request.baseUrl}/webhooks/whatsapp`
    next()
  }, admit)

  place.get((request, response) => {
    const answer = answerHandshake(request.query, verifyToken)
    if ('challenge' in answer) response.type('text/plain').send(answer.challenge)
    else response.status(answer.status).json(refusals[answer.status])
  })

  // The signature covers the raw bytes: nothing may decompress or rewrite them on the way.
  const readBytes = express.raw({ type: () => true, limit: bodyMaxBytes, inflate: false })
  place.post(takeBody(readBytes), async (request, response) => {
    const rawBody = new Uint8Array(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    const header = request.headers['x-hub-signature-256']
    const signature = checkSignature({ rawBody, header, appSecret })
    if (signature !== 'right') {
      counted.invalid += 1
      onInvalidSignature(signature)
      response.status(401).json(refusals[401])
      return
    }
    try {
      await inbox.take(rawBody)
    } catch (error) {
      // Anything but 200 makes Meta resend.
      onError(error)
      response.status(500).json(refusals[500])
      return
    }
    response.type('text/plain').send('EVENT_RECEIVED')
  })

  return {
    router,
    countInvalid: () => counted.invalid,
    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {},
      counters: {
        petrel_webhook_signatures_invalid_total: {
          help: 'Webhooks that were refused for a wrong or missing signature.',
          read: () => counted.invalid,
        },
      },
    }),
  }
}

const letPass: RequestHandler = (_request, _response, next) => next()

const refusals = {
  400: { error: 'The handshake is not complete', code: 'invalid_handshake' },
  401: { error: 'The signature does not fit', code: 'invalid_signature' },
  403: { error: 'The verify token does not fit', code: 'wrong_verify_token' },
  500: { error: 'The webhook could not be stored', code: 'internal_error' },
}

/**
 * Do these bytes come from Meta? The signature covers the raw bytes: re-serialised JSON with an
 * emoji differs.
 * @param header the value of `X-Hub-Signature-256`; ignores the older SHA-1 header
 */
export function checkSignature(webhook: {
  rawBody: Uint8Array
  header: unknown
  appSecret: string
}): 'right' | 'wrong' | 'missing' {
  const { rawBody, header, appSecret } = webhook
  if (header === undefined || header === '') return 'missing'
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(String(header)) ?? []
  if (!hex) return 'wrong'
  const given = Uint8Array.from(Buffer.from(hex, 'hex'))
  const own = Uint8Array.from(createHmac('sha256', appSecret).update(rawBody).digest())
  return timingSafeEqual(given, own) ? 'right' : 'wrong'
}

/**
 * Meta's check that this address wants webhooks. Needs no storage.
 * @returns the challenge for the right token, else the refusal's status: 400 incomplete, 403 wrong
 */
export function answerHandshake(
  given: unknown,
  verifyToken: string,
): { challenge: string } | { status: 400 | 403 } {
  const read = query.safeParse(given)
  if (!read.success) return { status: 400 }
  const isRight =
    read.data['hub.mode'] === 'subscribe' && isSame(read.data['hub.verify_token'], verifyToken)
  return isRight ? { challenge: read.data['hub.challenge'] } : { status: 403 }
}

/** In constant time, whatever their lengths. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())
  return timingSafeEqual(digest(a), digest(b))
}
