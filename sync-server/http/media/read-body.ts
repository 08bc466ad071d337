import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { RequestRefused } from '../core/request-refused.ts'

/**
 * Reads a body as it comes in, holding a few chunks of it. What is not read of it stays where it is.
 * @param signal gives it up: what it throws then is the signal's reason
 * @throws RequestRefused `upload_unreadable` when it breaks off
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
