import { limits } from '../../../schema/limits.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { RequestRefused } from '../core/request-refused.ts'

export type ReportLimit = ReturnType<typeof createReportLimit>

/** Limits the reports of one person: each is kept, and written to the log. */
export function createReportLimit({ limitAttempts }: { limitAttempts: LimitAttempts }) {
  const reports = limitAttempts('reports', limits.reportsPerReporter)
  return {
    /** @throws RequestRefused `too_many_requests` */
    count(reporterId: string) {
      const seconds = reports.secondsToWait(reporterId)
      if (seconds > 0) {
        const headers = { 'retry-after': String(seconds) }
        throw new RequestRefused('too_many_requests', { headers })
      }
      reports.count(reporterId)
    },
  }
}
