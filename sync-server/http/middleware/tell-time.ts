import type { RequestHandler } from 'express'

/**
 * Adds the server's clock to every answer, in epoch ms, for devices to correct theirs. Reads it
 * when the head is sent: a poll may have waited, and an older time would set clocks back.
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
