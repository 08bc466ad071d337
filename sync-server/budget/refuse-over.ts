import { RequestRefused } from '../http/core/request-refused.ts'
import type { Full } from './ledger.ts'

/** The refusal for a caller who asks for more than their own limit, or the total, allows. */
export function refuseOver(full: Full): RequestRefused {
  return full === 'key'
    ? new RequestRefused('too_many_at_once', { headers: { 'retry-after': '2' } })
    : new RequestRefused('busy', { headers: { 'retry-after': '5' } })
}
