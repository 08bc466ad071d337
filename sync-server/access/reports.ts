import { v7 as uuidv7 } from 'uuid'
import type { Storage } from '../storage/storage.ts'

/** What one person has told about another: for whoever keeps the server. `reportedAt` is epoch ms. */
export interface ReportDocument {
  _id: string
  reporterId: string
  reportedId: string
  reason: string
  reportedAt: number
}

export type Reports = ReturnType<typeof createReports>

/** Keeps reports in a database of their own. @param now epoch ms */
export function createReports(options: { storage: Storage; now?: () => number }) {
  const { storage, now = Date.now } = options
  const database = storage.database<ReportDocument>('reports')

  return {
    /** The same `reportId` of the same person again changes nothing. */
    async add(report: {
      reportId?: string | undefined
      reporterId: string
      reportedId: string
      reason: string
    }): Promise<void> {
      const { reportId = uuidv7(), ...rest } = report
      await database.insert({
        _id: `${report.reporterId}~${reportId}`,
        ...rest,
        reportedAt: now(),
      })
    },
    /** What this person has reported, oldest first. */
    list: (reporterId: string): Promise<ReportDocument[]> =>
      database.range({ startkey: `${reporterId}~`, endkey: `${reporterId}~\uffff` }),
  }
}
