import { login, registration, signedIn } from '../../../schema/api/auth.ts'
import { signedOut } from '../../../schema/api/done-answers.ts'
import { limits } from '../../../schema/limits.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import type { PasswordHasher } from '../../access/passwords/password-hasher.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { refuseTooEarly } from '../core/refuse-too-early.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { refuseTaken } from '../users/refuse-taken.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'
import type { SignIn } from './sign-in.ts'

export function createAuthRoutes(options: {
  accounts: Accounts
  hasher: PasswordHasher
  sessions: Sessions
  signIn: SignIn
  checkPassword: PasswordCheck
  limitAttempts: LimitAttempts
  completeness: Pick<Digests['completeness'], 'setComplete'>
}): Route[] {
  const { accounts, hasher, sessions, signIn, checkPassword, limitAttempts, completeness } = options
  const registrations = limitAttempts('registrations', limits.registrationsPerAddress)

  return [
    defineRoute({
      method: 'post',
      path: '/auth/register',
      access: 'anyone',
      summary: 'Creates an account and signs in to it.',
      body: registration,
      status: 201,
      answer: signedIn,
      errors: ['username_taken', 'email_taken', 'too_many_registrations'],
      async handle({ body, address, request, response }) {
        refuseTooEarly(registrations.secondsToWait(address), 'too_many_registrations')
        registrations.count(address)
        const { username, email, password } = body
        const field = await accounts.findTaken({ username, email })
        if (field) throw refuseTaken({ kind: 'taken', field })
        const passwordHash = await withDepartureSignal(response, (gone) =>
          hasher.hash(password, { address, gone }),
        )
        if (passwordHash === alreadySent) return alreadySent
        const outcome = await accounts.register({ username, email, passwordHash })
        if (outcome.kind !== 'done') throw refuseTaken(outcome)
        // It only saves a scan of their messages later.
        await completeness.setComplete(outcome.account.userId).catch(() => undefined)
        return await signIn({
          account: outcome.account,
          isKept: body.keepSignedIn !== false,
          request,
        })
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/login',
      access: 'anyone',
      summary: 'Signs in by username, email address or phone number.',
      body: login,
      status: 200,
      answer: signedIn,
      errors: ['invalid_credentials', 'too_many_attempts'],
      async handle({ body, address, request, response }) {
        const name = body.username.trim()
        const account = await accounts.findBySignInName(name)
        const { password } = body
        const isRight = await withDepartureSignal(response, (gone) =>
          checkPassword({ account, name, password, address, gone }),
        )
        if (isRight === alreadySent) return alreadySent
        if (!account || !isRight) throw new RequestRefused('invalid_credentials')
        return await signIn({ account, isKept: body.keepSignedIn !== false, request })
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/logout',
      access: 'signed-in',
      summary: 'Ends the sign-in that the token belongs to.',
      status: 200,
      answer: signedOut,
      async handle({ caller }) {
        return { isSignedOut: await sessions.end(caller) }
      },
    }),
  ]
}
