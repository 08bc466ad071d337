import type { Request } from 'express'

const expectedCodes = ['ERR_HTTP_HEADERS_SENT', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']

/**
 * Is this what a handler says after its request was ended? Its caller has their answer, or is gone: then there is nobody
 * to tell, and nothing went wrong here. An error of our own is still one.
 */
export function isPastEnd({ visit }: Pick<Request, 'visit'>, error: unknown): boolean {
  if (!visit?.isOver) return false
  if (error === visit.reason) return true
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  return expectedCodes.some((one) => one === code) || (typeof status === 'number' && status < 500)
}
