import type { Request } from 'express'

/** Does the request come from this machine, and not from a foreign page? */
export function isFromHere(request: Request): boolean {
  const { host = '', origin } = request.headers
  const isLoopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(
    request.socket.remoteAddress ?? '',
  )
  const isOurHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)
  return isLoopback && isOurHost && (origin === undefined || origin === `http://${host}`)
}
