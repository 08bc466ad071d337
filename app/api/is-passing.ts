import { ApiError } from './api-error.ts'

const passing = new Set([0, 408, 429])

/** May the same request succeed later? */
export function isPassing(cause: unknown): boolean {
  return cause instanceof ApiError && (passing.has(cause.status) || cause.status >= 500)
}
