import { limits } from '../../../schema/limits.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { refuseTooEarly } from '../core/refuse-too-early.ts'

export type LookupLimit = ReturnType<typeof createLookupLimit>

/** Limits enumeration of phone numbers and email addresses, by search or by claiming numbers. */
export function createLookupLimit({ limitAttempts }: { limitAttempts: LimitAttempts }) {
  const lookups = limitAttempts('phone lookups', limits.phoneLookups)
  return {
    /** @throws RequestRefused `too_many_lookups` */
    count(userId: string) {
      refuseTooEarly(lookups.secondsToWait(userId), 'too_many_lookups')
      lookups.count(userId)
    },
  }
}
