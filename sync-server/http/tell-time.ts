import type { RequestHandler } from 'express'

/** The server's clock on every answer, in epoch ms: devices correct their own by it. */
export const tellTime: RequestHandler = (_request, response, next) => {
  response.set({ 'x-petrel-now': String(Date.now()), 'cache-control': 'no-store' })
  next()
}
