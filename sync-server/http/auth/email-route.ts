import { emailChange } from '../../../schema/api/auth.ts'
import { ownUser } from '../../../schema/user.ts'
import type { Accounts } from '../../access/accounts.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { findAccount } from '../users/find-account.ts'
import { refuseTaken } from '../users/refuse-taken.ts'
import type { UserPresenter } from '../users/user-presenter.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'

/** Changes the email that signs a person in; a stolen session alone cannot. */
export function createEmailRoute(options: {
  accounts: Accounts
  presenter: UserPresenter
  checkPassword: PasswordCheck
}): Route {
  const { accounts, presenter, checkPassword } = options
  return defineRoute({
    method: 'put',
    path: '/users/email',
    access: 'signed-in',
    summary: 'Changes your email, with your password. The old one no longer signs you in.',
    body: emailChange,
    status: 200,
    answer: ownUser,
    errors: ['wrong_password', 'too_many_attempts', 'email_taken', 'user_not_found'],
    async handle({ caller: { userId }, body, address, response }) {
      const { email, password } = body
      const account = await findAccount(accounts, userId)
      const isRight = await withDepartureSignal(response, (gone) =>
        checkPassword({ account, name: userId, password, address, gone }),
      )
      if (isRight === alreadySent) return alreadySent
      if (!isRight) throw new RequestRefused('wrong_password')
      const verified = account.passwordChanges
      const outcome = await accounts.changeEmail(userId, { email, verified })
      if (outcome.kind === 'taken') throw refuseTaken(outcome)
      if (outcome.kind === 'missing') throw new RequestRefused('wrong_password')
      return await presenter.presentOwn(outcome.account)
    },
  })
}
