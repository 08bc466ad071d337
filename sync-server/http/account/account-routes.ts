import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { accountExport } from '../../../schema/api/account-export.ts'
import { accountDeleted } from '../../../schema/api/done-answers.ts'
import type { OwnUser } from '../../../schema/user.ts'
import type { AccountDeletion } from '../../access/account-deletion.ts'
import type { Accounts } from '../../access/accounts.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { findAccount } from '../users/find-account.ts'
import type { UserPresenter } from '../users/user-presenter.ts'

/**
 * Exporting and deleting one's account. @param exportAccount the pieces of the export's JSON text
 */
export function createAccountRoutes(options: {
  accounts: Accounts
  accountDeletion: AccountDeletion
  presenter: UserPresenter
  exportAccount: (
    kept: { user: OwnUser; formerNames: string[] },
    signal: AbortSignal,
  ) => AsyncGenerator<string>
}): Route[] {
  const { accounts, accountDeletion, presenter, exportAccount } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users/me/export',
      access: 'signed-in',
      summary: 'Everything that is kept of you, as one JSON file, streamed.',
      status: 200,
      answer: accountExport,
      errors: ['user_not_found'],
      async handle({ caller, signal, response }) {
        const account = await findAccount(accounts, caller.userId)
        const user = await presenter.presentOwn(account)
        const { formerNames = [] } = account
        const pieces = exportAccount({ user, formerNames }, signal)
        // A refusal comes before the answer begins.
        const first = await pieces.next()
        response.set({
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="petrel-export.json"',
        })
        const whole = Readable.from(begin(first.value, pieces))
        await pipeline(whole, response)
          .catch(ignoreDeparture)
          .finally(() => pieces.return(undefined))
        return alreadySent
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/users/me',
      access: 'signed-in',
      summary:
        'Deletes your account: its databases, its sign-ins, its name. What others have from you stays with them.',
      status: 200,
      answer: accountDeleted,
      async handle({ caller }) {
        await accountDeletion.leave(caller.userId)
        return { isDeleted: true as const }
      },
    }),
  ]
}

async function* begin(first: string, rest: AsyncGenerator<string>) {
  yield first
  yield* rest
}

/** A caller who disconnects midway is no error. */
function ignoreDeparture(error: unknown) {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}
