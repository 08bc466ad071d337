import { limits } from '../../../schema/limits.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { refuseTooEarly } from '../core/refuse-too-early.ts'

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
