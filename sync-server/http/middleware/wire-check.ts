import type { RequestHandler } from 'express'
import { checkWire, wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { RequestRefused } from '../core/request-refused.ts'

/** A rolled-back server is soon replaced. */
const retryAfterSeconds = '5'

/**
 * Refuses apps whose version of the protocol this server does not serve, before anything of the
 * request is looked at; adds the server's own version to every answer.
 */
export const requireServedWire: RequestHandler = (request, response, next) => {
  response.set(wireHeader, String(wireVersion))
  const problem = checkWire(request.get(wireHeader))
  if (problem === 'app_outdated') throw new RequestRefused(problem)
  if (problem) throw new RequestRefused(problem, { headers: { 'retry-after': retryAfterSeconds } })
  next()
}
