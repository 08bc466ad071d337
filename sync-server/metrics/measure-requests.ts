import type { Request, RequestHandler } from 'express'
import type { Metrics } from './metrics.ts'

/** Measures each request from its head to the end of its answer, by its route's name. */
export function measureRequests({ metrics }: { metrics: Metrics }): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    response.once('close', () => {
      const { method, refusalCode } = request
      const seconds = (performance.now() - startedAt) / 1000
      metrics.recordRequest({
        method,
        route: nameRoute(request),
        status: response.statusCode,
        seconds,
      })
      if (refusalCode) metrics.recordRefusal('http', refusalCode)
    })
    next()
  }
}

/** Waiting feeds would hide how fast the others are. */
function nameRoute({ routeName = 'none', query, method }: Request): string {
  const doesWait =
    query.feed === 'longpoll' ||
    query.feed === 'continuous' ||
    (routeName === '/poll' && method === 'GET')
  return doesWait ? `${routeName} (waits)` : routeName
}
