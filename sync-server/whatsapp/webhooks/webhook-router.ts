import express, { type RequestHandler, type Router } from 'express'
import type { Levels } from '../../metrics/read-levels.ts'
import { answerHandshake } from './answer-handshake.ts'
import { checkSignature } from './check-signature.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

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
