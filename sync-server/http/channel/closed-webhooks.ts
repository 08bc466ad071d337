import express, { type Router } from 'express'
import { RequestRefused } from '../core/request-refused.ts'

/** The webhook address on a server without the channel: tells callers why it accepts nothing. */
export function createClosedWebhooks(): Router {
  const router: Router = express.Router({ caseSensitive: true })
  router.all('/webhooks/whatsapp', (request) => {
    request.routeName = `${request.baseUrl}/webhooks/whatsapp`
    throw new RequestRefused('whatsapp_not_configured')
  })
  return router
}
