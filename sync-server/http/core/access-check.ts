import type { Request, RequestHandler } from 'express'
import { checkWire, wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { TokenHolder, TokenKeeper } from '../../access/token-keeper.ts'
import { RequestRefused } from './request-refused.ts'

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

/** Identifies the caller by the bearer token and its sign-in. */
export function createAccessCheck(options: { tokens: TokenKeeper; sessions: Sessions }) {
  const { tokens, sessions } = options

  /** @returns null for a forged or expired token, or an ended sign-in */
  async function identify(token: string): Promise<TokenHolder | null> {
    const caller = tokens.read(token)
    return caller && (await sessions.isOpen(caller)) ? caller : null
  }

  /** @throws RequestRefused 401 */
  async function authenticate(request: Request): Promise<TokenHolder> {
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (!token) throw new RequestRefused('authentication_required')
    const caller = await identify(token)
    if (!caller) throw new RequestRefused('session_ended')
    request.caller = caller
    return caller
  }

  const requireCaller: RequestHandler = async (request, _response, next) => {
    await authenticate(request)
    next()
  }

  return { identify, authenticate, requireCaller }
}

export type AccessCheck = ReturnType<typeof createAccessCheck>
