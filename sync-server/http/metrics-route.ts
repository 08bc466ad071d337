import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import * as z from 'zod/mini'
import type { Metrics } from '../metrics/metrics.ts'
import { RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'

/**
 * Prometheus' text. With METRICS_TOKEN, requires it as a bearer token; without, only answers
 * requests from this machine that no proxy forwarded. Everybody else gets a 404.
 */
export function createMetricsRoute(options: {
  metrics: Metrics
  token: string | undefined
}): Route {
  const { metrics, token } = options
  return defineRoute({
    method: 'get',
    path: '/metrics',
    access: 'anyone',
    summary: 'What this server measures of itself, for Prometheus.',
    status: 200,
    answer: z.string(),
    produces: 'text/plain',
    errors: ['not_found'],
    async handle({ request, response }) {
      const isAllowed = token ? hasToken(request, token) : isFromThisMachine(request)
      if (!isAllowed) throw new RequestRefused('not_found')
      const text = await metrics.describe()
      response.set('cache-control', 'no-store').type(metrics.contentType).send(text)
      return text
    },
  })
}

function hasToken(request: Request, token: string): boolean {
  const given = request.headers.authorization ?? ''
  const digest = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())
  return timingSafeEqual(digest(given), digest(`Bearer ${token}`))
}

const loopback = /^(127\.|::1$|::ffff:127\.)/
const signsOfAProxy = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

function isFromThisMachine({ socket, headers }: Request): boolean {
  return (
    loopback.test(socket.remoteAddress ?? '') &&
    signsOfAProxy.every((name) => headers[name] === undefined)
  )
}
