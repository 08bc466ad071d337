import { v7 as uuidv7 } from 'uuid'
import type { Storage } from '../storage/storage.ts'

/** One person's report about another, for the operator of the server. `reportedAt` is epoch ms. */
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
  const keyOf = (reporterId: string, reportId: string) => `${reporterId}~${reportId}`

  return {
    async has(reporterId: string, reportId: string): Promise<boolean> {
      const _id = keyOf(reporterId, reportId)
      return (await database.read([_id])).has(_id)
    },

    /** Repeating a `reportId` of the same person changes nothing. */
    async add(report: {
      reportId?: string | undefined
      reporterId: string
      reportedId: string
      reason: string
    }): Promise<void> {
      const { reportId = uuidv7(), ...rest } = report
      await database.insert({
        _id: keyOf(report.reporterId, reportId),
        ...rest,
        reportedAt: now(),
      })
    },
    /** This person's reports, oldest first. */
    list: (reporterId: string): Promise<ReportDocument[]> =>
      database.range({ startkey: `${reporterId}~`, endkey: `${reporterId}~\uffff` }),
  }
}
