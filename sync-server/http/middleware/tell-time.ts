import type { RequestHandler } from 'express'

/**
 * The server's clock on every answer, in epoch ms: devices correct their own by it. It is read when the head of the
 * answer leaves: a poll has waited by then, and an older time would set clocks back.
 */
export const tellTime: RequestHandler = (_request, response, next) => {
  const { writeHead } = response
  response.set('cache-control', 'no-store')
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    response.setHeader('x-petrel-now', String(Date.now()))
    return writeHead.apply(response, head)
  }) as typeof writeHead
  next()
}
