import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { RequestRefused } from '../core/request-refused.ts'

/**
 * Streams a body, holding a few chunks of it; leaves the unread rest in place.
 * @param signal cancels; the iteration then throws the signal's reason
 * @throws RequestRefused `upload_unreadable` when the body breaks off
 */
export async function* readBody(options: {
  request: IncomingMessage
  signal: AbortSignal
}): AsyncGenerator<Buffer, void, undefined> {
  const { request, signal } = options
  signal.throwIfAborted()
  const body = new PassThrough()
  const breakOff = () => {
    if (!request.readableEnded) body.destroy(new RequestRefused('upload_unreadable'))
  }
  const giveUp = () => body.destroy(signal.reason)
  request.on('close', breakOff).on('error', breakOff)
  signal.addEventListener('abort', giveUp)
  try {
    for await (const chunk of request.pipe(body)) yield chunk
  } finally {
    signal.removeEventListener('abort', giveUp)
    request.off('close', breakOff).off('error', breakOff).unpipe(body).pause()
  }
}
