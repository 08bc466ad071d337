import { RequestRefused } from '../http/core/request-refused.ts'
import type { Full } from './ledger.ts'

/** What somebody is told who asks for more than there is room for: of their own, or of all. */
export function refuseOver(full: Full): RequestRefused {
  return full === 'key'
    ? new RequestRefused('too_many_at_once', { headers: { 'retry-after': '2' } })
    : new RequestRefused('busy', { headers: { 'retry-after': '5' } })
}
