import type { Request } from 'express'

const expectedCodes = ['ERR_HTTP_HEADERS_SENT', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [name: string]: JsonValue }

/**
 * Is this error only the result of a handler going on after its request ended? Then nobody waits
 * for an answer and nothing went wrong. Errors of our own still count.
 */
export function isPastEnd({ visit }: Pick<Request, 'visit'>, error: unknown): boolean {
  if (!visit?.isOver) return false
  if (error === visit.reason) return true
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  return expectedCodes.some((one) => one === code) || (typeof status === 'number' && status < 500)
}
