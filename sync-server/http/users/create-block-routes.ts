import * as z from 'zod/mini'
import { personReported } from '../../../schema/done-answers.ts'
import { publicUser } from '../../../schema/user.ts'
import { blockAnswer, blockChange, report } from '../../../schema/user-relations.ts'
import type { Accounts } from '../../access/create-accounts.ts'
import type { Relations } from '../../access/create-relations.ts'
import type { Reports } from '../../access/create-reports.ts'
import type { Log } from '../../create-log.ts'
import { idempotencyKey } from '../idempotency-key.ts'
import { RequestRefused } from '../request-refused.ts'
import { defineRoute, type Route } from '../route.ts'
import type { UserPresenter } from './create-user-presenter.ts'
import { findAccount } from './find-account.ts'

const userIdParam = z.object({ id: z.string() })

/** Keeping somebody away, and telling whoever keeps the server about them. */
export function createBlockRoutes(options: {
  accounts: Accounts
  relations: Relations
  reports: Reports
  presenter: UserPresenter
  log: Log
}): Route[] {
  const { accounts, relations, reports, presenter, log } = options

  async function findOther(callerId: string, userId: string) {
    if (userId === callerId) throw new RequestRefused('own_account')
    return await findAccount(accounts, userId)
  }

  return [
    defineRoute({
      method: 'get',
      path: '/users/blocked',
      access: 'signed-in',
      summary: 'The people whom you have blocked.',
      status: 200,
      answer: z.array(publicUser),
      async handle({ caller: { userId } }) {
        const blocked = await relations.listBlocked(userId)
        const found = await accounts.findAll(blocked.map(({ otherId }) => otherId))
        return await presenter.presentAll(userId, [...found.values()])
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/{id}/block',
      access: 'signed-in',
      summary:
        'Blocks somebody, or lets them again. What a blocked person writes is not delivered, and neither sees the other’s presence.',
      params: userIdParam,
      body: blockChange,
      status: 200,
      answer: blockAnswer,
      errors: ['user_not_found', 'own_account'],
      async handle({ caller, params, body: { blocked } }) {
        const { userId } = await findOther(caller.userId, params.id)
        await relations.setBlocked(caller.userId, userId, blocked)
        return { userId, blocked }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/users/{id}/report',
      access: 'signed-in',
      summary: 'Tells whoever keeps this server about somebody.',
      params: userIdParam,
      headers: idempotencyKey,
      body: report,
      status: 200,
      answer: personReported,
      errors: ['user_not_found', 'own_account'],
      async handle({ caller, params, headers, body: { reason } }) {
        const { userId: reportedId } = await findOther(caller.userId, params.id)
        const reporterId = caller.userId
        const reportId = headers['idempotency-key']
        await reports.add({ reportId, reporterId, reportedId, reason })
        log.warn({ reporterId, reportedId }, 'somebody was reported: see the database "reports"')
        return { isReported: true as const }
      },
    }),
  ]
}
