import type { Express, RequestHandler, Router } from 'express'
import type { Doorman } from '../budget/doorman.ts'
import type { Log } from '../lib/log.ts'
import { measureRequests } from '../metrics/measure-requests.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { RequestRefused } from './core/request-refused.ts'
import { answerStrayShare } from './middleware/answer-stray-share.ts'
import { setDataHeaders } from './middleware/data-headers.ts'
import { createErrorHandler } from './middleware/error-handler.ts'
import { logRequests } from './middleware/log-requests.ts'
import { setSecurityHeaders } from './middleware/security-headers.ts'
import { serveApp } from './middleware/serve-app.ts'
import { tellTime } from './middleware/tell-time.ts'
import { requireServedWire } from './middleware/wire-check.ts'

/** Puts all HTTP handlers in order: identification and logging first, errors last. */
export function assembleHttp(options: {
  app: Express
  log: Log
  metrics: Metrics
  doorman: Pick<Doorman, 'greet' | 'admit'>
  isHttps: boolean
  trustProxy: number
  appDir: string
  /** What is called at the server's root: health, metrics, polls. */
  root: Router
  /** Webhooks: unauthenticated, and with the raw bytes of their body. */
  webhooks: Router
  api: Router
  sync: Router
}) {
  const { app, log, metrics, doorman, isHttps, trustProxy, appDir, root, webhooks, api, sync } =
    options
  app.disable('x-powered-by').set('trust proxy', trustProxy).set('query parser', 'simple')
  app.use(closeStraySocket, logRequests({ log }), measureRequests({ metrics }), doorman.greet)
  app.use('/sync', setDataHeaders({ isHttps }), tellTime, sync)
  app.use(setSecurityHeaders({ isHttps }))
  app.use('/poll', tellTime, requireServedWire)
  app.use(root)
  app.use('/api', webhooks)
  app.use('/api', tellTime, requireServedWire, api)
  app.post('/share', doorman.admit, answerStrayShare)
  app.use(serveApp({ appDir }))
  app.use(() => {
    throw new RequestRefused('not_found')
  })
  app.use(createErrorHandler({ log }))
}

/** express-ws sends upgrades through the app: one that no socket route takes would hang forever. */
const closeStraySocket: RequestHandler = (request, _response, next) => {
  const { ws } = request as typeof request & { ws?: { terminate(): void } }
  if (ws) ws.terminate()
  else next()
}
