import { limits } from '../../../schema/limits.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { RequestRefused } from '../core/request-refused.ts'

export type LookupLimit = ReturnType<typeof createLookupLimit>

/** Limits enumeration of phone numbers and email addresses, by search or by claiming numbers. */
export function createLookupLimit({ limitAttempts }: { limitAttempts: LimitAttempts }) {
  const lookups = limitAttempts('phone lookups', limits.phoneLookups)
  return {
    /** @throws RequestRefused `too_many_lookups` */
    count(userId: string) {
      const seconds = lookups.secondsToWait(userId)
      if (seconds > 0) {
        const headers = { 'retry-after': String(seconds) }
        throw new RequestRefused('too_many_lookups', { headers })
      }
      lookups.count(userId)
    },
  }
}
