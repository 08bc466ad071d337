import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'

/** Codes are scanned and voice messages recorded by our own pages, never by a page in a frame. */
const permissionsPolicy = 'camera=(self), microphone=(self), geolocation=()'

/**
 * Headers that restrict a browser to our own pages: scripts, styles and connections of this origin.
 * @param isHttps forbids browsers to return over plain HTTP
 */
export function setSecurityHeaders({ isHttps }: { isHttps: boolean }): RequestHandler {
  const setHelmet = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:'],
        // Older browsers do not count a socket of the same origin as 'self'.
        connectSrc: ["'self'", (request) => nameSocketOrigin(request as Request)],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    strictTransportSecurity: isHttps && { maxAge: 365 * 24 * 60 * 60 },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  })
  return (request, response, next) => {
    response.set('permissions-policy', permissionsPolicy)
    setHelmet(request, response, next)
  }
}

function nameSocketOrigin(request: Request): string {
  const host = request.headers.host ?? ''
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host)) return "'self'"
  return `${request.secure ? 'wss' : 'ws'}://${host}`
}
