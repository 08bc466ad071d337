import * as z from 'zod/mini'
import { personReported } from '../../../schema/api/done-answers.ts'
import { blockAnswer, blockChange, report } from '../../../schema/api/usage.ts'
import { publicUser } from '../../../schema/user.ts'
import type { Relations } from '../../access/relations.ts'
import type { Reports } from '../../access/reports.ts'
import type { Log } from '../../lib/log.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import { idempotencyKey, RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { ReportLimit } from './lookup-limit.ts'
import type { UserPresenter } from './user-presenter.ts'

const userIdParam = z.object({ id: z.string() })

interface BlockChanged {
  userId: string
  blocked: boolean
}

/** Blocking people, and reporting them to the operator. */
export function createBlockRoutes(options: {
  relations: Relations
  reports: Reports
  reportLimit: ReportLimit
  presenter: UserPresenter
  channel: Pick<Channel, 'signals'> | undefined
  log: Log
  /** Called once it is stored. */
  onBlocked(callerId: string, change: BlockChanged): void
}): Route[] {
  const { relations, reports, reportLimit, presenter, channel, log } = options

  async function findOther(callerId: string, userId: string) {
    if (userId === callerId) throw new RequestRefused('own_account')
    return await presenter.presentById(callerId, userId)
  }

  return [
    defineRoute({
      method: 'get',
      path: '/users/blocked',
      access: 'signed-in',
      summary: 'The people you have blocked.',
      status: 200,
      answer: z.array(publicUser),
      async handle({ caller: { userId } }) {
        const blocked = await relations.listBlocked(userId)
        const ids = blocked.map(({ otherId }) => otherId)
        return [...(await presenter.presentByIds(userId, ids)).values()]
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/{id}/block',
      access: 'signed-in',
      summary:
        'Blocks somebody, or lets them again. What a blocked person writes is not delivered, and they see no picture; neither sees the other’s presence.',
      params: userIdParam,
      body: blockChange,
      status: 200,
      answer: blockAnswer,
      errors: ['user_not_found', 'own_account'],
      async handle({ caller, params, body: { blocked } }) {
        const { _id: userId } = await findOther(caller.userId, params.id)
        await relations.setBlocked(caller.userId, userId, blocked)
        channel?.signals.recordBlocked(caller.userId, userId, blocked)
        options.onBlocked(caller.userId, { userId, blocked })
        return { userId, blocked }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/users/{id}/report',
      access: 'signed-in',
      summary:
        'Tells whoever keeps this server about somebody. Kept for a year, also after a deletion of either account.',
      params: userIdParam,
      headers: idempotencyKey,
      body: report,
      status: 200,
      answer: personReported,
      errors: ['user_not_found', 'own_account', 'too_many_requests'],
      async handle({ caller, params, headers, body: { reason, messages } }) {
        const { _id: reportedId, username: reportedName } = await findOther(
          caller.userId,
          params.id,
        )
        const reporterId = caller.userId
        const reportId = headers['idempotency-key']
        const isKept = reportId !== undefined && (await reports.has(reporterId, reportId))
        if (isKept) return { isReported: true as const }
        reportLimit.count(reporterId)
        await reports.add({ reportId, reporterId, reportedId, reportedName, reason, messages })
        log.warn({ reporterId, reportedId }, 'somebody was reported: see the database "reports"')
        return { isReported: true as const }
      },
    }),
  ]
}
