import { v7 as uuidv7 } from 'uuid'
import type { ReportedMessage } from '../../schema/api/usage.ts'
import { limits } from '../../schema/limits.ts'
import type { RangeOptions } from '../storage/documents/database.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'

/** One person's report about another, for the operator of the server. `reportedAt` is epoch ms. */
export interface ReportDocument {
  _id: string
  reporterId: string
  reportedId: string
  /** What they were called at that time; absent in older reports. */
  reportedName?: string
  reason: string
  /** What they had written to each other last, where the reporter gave it, oldest first. */
  messages?: readonly ReportedMessage[]
  reportedAt: number
  /** What an admin did; absent while it waits. */
  state?: 'dismissed' | 'warned' | 'disabled'
  resolvedAt?: number
  _deleted?: true
}

const readAtOnce = 200

export type Reports = ReturnType<typeof createReports>

/** Keeps reports in a database of their own. @param now epoch ms */
export function createReports(options: { storage: Storage; now?: () => number }) {
  const { storage, now = Date.now } = options
  const database = storage.database<ReportDocument>('reports')
  const keyOf = (reporterId: string, reportId: string) => `${reporterId}~${reportId}`

  const isOver = ({ reportedAt }: ReportDocument) => now() - reportedAt >= limits.reportsKeptMs

  async function* walk() {
    const range: RangeOptions = { limit: readAtOnce }
    for (;;) {
      const page = await database.range(range)
      yield page
      const last = page.at(-1)
      if (!last || page.length < readAtOnce) return
      range.startkey = idsFrom(last._id).endkey
    }
  }

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
      reportedName?: string
      reason: string
      messages?: readonly ReportedMessage[] | undefined
    }): Promise<void> {
      const { reportId = uuidv7(), messages = [], ...rest } = report
      await database.insert({
        _id: keyOf(report.reporterId, reportId),
        ...rest,
        ...(messages.length > 0 && { messages }),
        reportedAt: now(),
      })
    },
    /** Every report, the latest first. */
    async listAll(): Promise<ReportDocument[]> {
      const found: ReportDocument[] = []
      const range: RangeOptions = { limit: readAtOnce }
      for (;;) {
        const page = await database.range(range)
        found.push(...page)
        const last = page.at(-1)
        if (!last || page.length < readAtOnce) break
        range.startkey = idsFrom(last._id).endkey
      }
      return found.sort((a, b) => b.reportedAt - a.reportedAt)
    },

    /** @returns false when it is not there, or resolved already */
    async resolve(_id: string, state: NonNullable<ReportDocument['state']>): Promise<boolean> {
      const { result } = await database.update<boolean>([_id], (stored) => {
        const report = stored.get(_id)
        if (!report || report.state) return { result: false }
        return { put: [{ ...report, state, resolvedAt: now() }], result: true }
      })
      return result
    },

    /** This person's reports, oldest first. */
    list: (reporterId: string): Promise<ReportDocument[]> =>
      database.range(idsFrom(`${reporterId}~`)),

    /** Is there a report about this person? Keys name only who made them: reads them all, a few. */
    isReported: async (userId: string): Promise<boolean> => {
      for await (const page of walk()) {
        if (page.some((one) => one.reportedId === userId && !isOver(one))) return true
      }
      return false
    },

    /** Deletes those whose time is over. Nothing else does: they outlive both sides (decision 65). */
    async sweep(): Promise<void> {
      for await (const page of walk()) {
        const ids = page.filter(isOver).map(({ _id }) => _id)
        if (ids.length === 0) continue
        await database.update(ids, (stored) => ({
          put: [...stored.keys()].map(describeForgotten),
          result: undefined,
        }))
      }
    },
  }
}

/** What stays of a deleted document can be read: no reason, and nobody but in its key. */
function describeForgotten(_id: string): ReportDocument {
  return { _id, reporterId: '', reportedId: '', reason: '', reportedAt: 0, _deleted: true }
}
