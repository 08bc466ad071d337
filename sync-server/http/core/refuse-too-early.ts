import type { ErrorCode } from '../../../schema/api/api-error.ts'
import { RequestRefused } from './request-refused.ts'

/**
 * Refuses a caller who has to wait before another attempt, and tells them how long.
 * @param seconds 0 when nobody has to wait
 * @throws RequestRefused with this reason
 */
export function refuseTooEarly(seconds: number, reason: ErrorCode): void {
  if (seconds === 0) return
  throw new RequestRefused(reason, { headers: { 'retry-after': String(seconds) } })
}
