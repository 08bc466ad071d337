import { v7 as uuidv7 } from 'uuid'
import { idsFrom } from '../storage/documents/ids-from.ts'
import type { RangeOptions } from '../storage/range-options.ts'
import type { Storage } from '../storage/storage.ts'

/** One person's report about another, for the operator of the server. `reportedAt` is epoch ms. */
export interface ReportDocument {
  _id: string
  reporterId: string
  reportedId: string
  reason: string
  reportedAt: number
  _deleted?: true
}

const readAtOnce = 200

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
      database.range(idsFrom(`${reporterId}~`)),

    /**
     * Deletes what a departed person reported, and what others reported about them. Reports are few,
     * and their keys name only who made them: reads them all.
     */
    async forget(userId: string): Promise<void> {
      const range: RangeOptions = { limit: readAtOnce }
      for (;;) {
        const page = await database.range(range)
        const ids = page.flatMap(({ _id, reporterId, reportedId }) =>
          reporterId === userId || reportedId === userId ? [_id] : [],
        )
        if (ids.length > 0) {
          await database.update(ids, (stored) => ({
            put: [...stored.keys()].map(describeForgotten),
            result: undefined,
          }))
        }
        const last = page.at(-1)
        if (!last || page.length < readAtOnce) return
        range.startkey = idsFrom(last._id).endkey
      }
    },
  }
}

/** What stays of a deleted document can be read: no reason, and nobody but in its key. */
function describeForgotten(_id: string): ReportDocument {
  return { _id, reporterId: '', reportedId: '', reason: '', reportedAt: 0, _deleted: true }
}
