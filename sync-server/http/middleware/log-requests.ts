import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Log } from '../../lib/log.ts'

const givenId = /^[\w-]{8,64}$/

/**
 * Gives every request an id (keeps a proxy's), and logs its end: caller, route, status, duration.
 */
export function logRequests({ log }: { log: Log }): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    const given = request.get('x-request-id') ?? ''
    request.id = givenId.test(given) ? given : randomUUID()
    response.set('x-request-id', request.id)
    response.on('close', () => {
      log.info({
        requestId: request.id,
        method: request.method,
        route: request.routeName ?? 'none',
        status: response.statusCode,
        isAnswered: response.writableFinished,
        userId: request.caller?.userId,
        ms: Math.round(performance.now() - startedAt),
      })
    })
    next()
  }
}
