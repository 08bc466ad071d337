import { limits } from '../../../schema/limits.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { refuseTooEarly } from '../core/request-refused.ts'

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

export type ReportLimit = ReturnType<typeof createReportLimit>

/** Limits the reports of one person: each is kept, and written to the log. */
export function createReportLimit({ limitAttempts }: { limitAttempts: LimitAttempts }) {
  const reports = limitAttempts('reports', limits.reportsPerReporter)
  return {
    /** @throws RequestRefused `too_many_requests` */
    count(reporterId: string) {
      refuseTooEarly(reports.secondsToWait(reporterId), 'too_many_requests')
      reports.count(reporterId)
    },
  }
}
