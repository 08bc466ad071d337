import {
  login,
  madeInvitation,
  passwordReset,
  passwordWasReset,
  registration,
  serverDescription,
  signedIn,
} from '../../../schema/api/auth.ts'
import { signedOut } from '../../../schema/api/done-answers.ts'
import { version } from '../../../schema/api/version.ts'
import {
  derivationQuery,
  passwordDerivation,
  resetDerivationQuery,
} from '../../../schema/encryption/password-derivation.ts'
import { limits } from '../../../schema/limits.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import type { PasswordDerivations } from '../../access/password-derivations.ts'
import type { PasswordHasher } from '../../access/password-hasher.ts'
import type { PasswordResets } from '../../access/password-resets.ts'
import type { Sessions } from '../../access/sessions.ts'
import { writeStoredPassword } from '../../access/stored-password.ts'
import type { AdminStore } from '../../admin/admin-store.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { RequestRefused, refuseTooEarly } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { refuseTaken } from '../users/find-account.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'
import type { SignIn } from './sign-in.ts'

/** Who may create an account, and the invitations of those who need one. */
export interface Admission {
  mode: 'open' | 'invite' | 'closed'
  invitesBy: 'admins' | 'everybody'
  invitations: Pick<
    AdminStore,
    'isInvited' | 'takeInvitation' | 'returnInvitation' | 'createInvitation'
  >
  isAdmin: (userId: string) => Promise<boolean>
}

export function createAuthRoutes(options: {
  accounts: Accounts
  hasher: PasswordHasher
  derivations: PasswordDerivations
  sessions: Sessions
  signIn: SignIn
  checkPassword: PasswordCheck
  limitAttempts: LimitAttempts
  completeness: Pick<Digests['completeness'], 'setComplete'>
  admission: Admission
  resets: PasswordResets
  hasMail: boolean
  encryption: 'on' | 'off'
}): Route[] {
  const { accounts, hasher, derivations, sessions, signIn, checkPassword } = options
  const { limitAttempts, completeness, resets, hasMail, encryption } = options
  const { mode, invitesBy, invitations, isAdmin } = options.admission

  /** @throws RequestRefused for who may not register */
  async function requireInvited(code: string | undefined) {
    if (mode === 'closed') throw new RequestRefused('registration_closed')
    if (mode === 'open') return
    if (!code) throw new RequestRefused('invitation_needed')
    if (!(await invitations.isInvited(code))) throw new RequestRefused('invitation_invalid')
  }

  const { max, windowMs } = limits.failedSignIns
  const resetsTried = limitAttempts('links of new passwords', { max, windowMs })
  const registrations = limitAttempts('registrations', limits.registrationsPerAddress)
  const asked = limitAttempts('password derivations', limits.derivationsPerAddress)
  const invited = limitAttempts('invitations', limits.invitationsPerPerson)

  return [
    defineRoute({
      method: 'post',
      path: '/auth/register',
      access: 'anyone',
      summary: 'Creates an account and signs in to it.',
      body: registration,
      status: 201,
      answer: signedIn,
      errors: [
        'username_taken',
        'email_taken',
        'too_many_registrations',
        'registration_closed',
        'invitation_needed',
        'invitation_invalid',
        'account_changed',
      ],
      async handle({ body, address, request, response }) {
        refuseTooEarly(registrations.secondsToWait(address), 'too_many_registrations')
        registrations.count(address)
        await requireInvited(body.invitation)
        const { username, email, password, secret } = body
        const field = await accounts.findTaken({ username, email })
        if (field) throw refuseTaken({ kind: 'taken', field })
        const salt = derivations.saltForNew(username)
        // Whoever signs in next is told this salt.
        if (secret && secret.salt !== salt) throw new RequestRefused('invalid_input')
        const passwordHash = secret
          ? writeStoredPassword({ ...secret, logN: hasher.logN })
          : await withDepartureSignal(response, (gone) =>
              hasher.hash({ password: password ?? '', salt }, { address, gone }),
            )
        if (passwordHash === alreadySent) return alreadySent
        const used = mode === 'invite' ? body.invitation : undefined
        // Two people with one code may both have come this far.
        if (used !== undefined && !(await invitations.takeInvitation(used))) {
          throw new RequestRefused('invitation_invalid')
        }
        const outcome = await accounts.register({ username, email, passwordHash })
        if (outcome.kind !== 'done') {
          if (used !== undefined) await invitations.returnInvitation(used)
          throw refuseTaken(outcome)
        }
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
      method: 'get',
      path: '/server',
      access: 'anyone',
      summary:
        'Which version this server is, who may create an account, and whether messages are sealed.',
      status: 200,
      answer: serverDescription,
      handle: async () => ({ version, registration: mode, invitesBy, hasMail, encryption }),
    }),
    defineRoute({
      method: 'post',
      path: '/users/me/invitations',
      access: 'signed-in',
      summary: 'An invitation for one person, where an account needs one. Its code is told once.',
      status: 201,
      answer: madeInvitation,
      errors: [
        'registration_closed',
        'invitation_unneeded',
        'invitations_by_admins',
        'user_not_found',
        'too_many_requests',
      ],
      async handle({ caller: { userId } }) {
        if (mode === 'closed') throw new RequestRefused('registration_closed')
        if (mode === 'open') throw new RequestRefused('invitation_unneeded')
        if (invitesBy === 'admins' && !(await isAdmin(userId))) {
          throw new RequestRefused('invitations_by_admins')
        }
        refuseTooEarly(invited.secondsToWait(userId), 'too_many_requests')
        invited.count(userId)
        const account = await accounts.find(userId)
        if (!account) throw new RequestRefused('user_not_found')
        const { username } = account
        const { code, endsAt } = await invitations.createInvitation({
          uses: 1,
          days: limits.invitationDays,
          actor: { kind: 'person', userId, username },
        })
        return { code, endsAt: new Date(endsAt).toISOString() }
      },
    }),
    defineRoute({
      method: 'post',
      path: '/auth/reset-password',
      access: 'anyone',
      summary: 'Sets a new password by a link, which works once, and ends every sign-in.',
      body: passwordReset,
      status: 200,
      answer: passwordWasReset,
      errors: ['reset_link_over', 'too_many_attempts'],
      async handle({ body: { token, password, secret }, address, response }) {
        refuseTooEarly(resetsTried.secondsToWait(address), 'too_many_attempts')
        resetsTried.count(address)
        const owner = await resets.find(token)
        const forgetful = owner && (await accounts.find(owner))
        if (!forgetful) throw new RequestRefused('reset_link_over')
        const salt = derivations.saltOf(forgetful)
        // Whoever signs in next is told this salt.
        if (secret && secret.salt !== salt) throw new RequestRefused('invalid_input')
        const passwordHash = secret
          ? writeStoredPassword({ ...secret, logN: hasher.logN })
          : await withDepartureSignal(response, (gone) =>
              hasher.hash({ password: password ?? '', salt }, { address, gone }),
            )
        if (passwordHash === alreadySent) return alreadySent
        const userId = await resets.use(token, passwordHash)
        const account = userId && (await accounts.find(userId))
        if (!account) throw new RequestRefused('reset_link_over')
        await sessions.removeAll(account.userId)
        resetsTried.forget(address)
        return { username: account.username }
      },
    }),
    defineRoute({
      method: 'post',
      path: '/auth/reset-password/derivation',
      access: 'anyone',
      summary: 'How the new password of a link becomes the secret that signs in.',
      body: resetDerivationQuery,
      status: 200,
      answer: passwordDerivation,
      errors: ['reset_link_over', 'too_many_attempts'],
      async handle({ body: { token }, address }) {
        refuseTooEarly(resetsTried.secondsToWait(address), 'too_many_attempts')
        resetsTried.count(address)
        const owner = await resets.find(token)
        const forgetful = owner && (await accounts.find(owner))
        if (!forgetful) throw new RequestRefused('reset_link_over')
        return derivations.describeNew(derivations.saltOf(forgetful))
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
      errors: ['invalid_credentials', 'too_many_attempts', 'account_disabled'],
      async handle({ body, address, request, response }) {
        const name = body.username.trim()
        const account = await accounts.findBySignInName(name)
        const shown = { password: body.password, secret: body.secret }
        const isRight = await withDepartureSignal(response, (gone) =>
          checkPassword({ account, name, shown, address, gone }),
        )
        if (isRight === alreadySent) return alreadySent
        if (!account || !isRight) throw new RequestRefused('invalid_credentials')
        if (account.disabledAt !== undefined) throw new RequestRefused('account_disabled')
        const { wrappedSeed } = account
        const begun = { account, isKept: body.keepSignedIn !== false, request }
        return { ...(await signIn(begun)), ...(wrappedSeed && { wrappedSeed }) }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/password-derivation',
      access: 'anyone',
      summary:
        'How a password becomes the secret that signs in. Answers for every name, whether or not anybody has it.',
      body: derivationQuery,
      status: 200,
      answer: passwordDerivation,
      errors: ['too_many_attempts'],
      async handle({ body, address }) {
        refuseTooEarly(asked.secondsToWait(address), 'too_many_attempts')
        asked.count(address)
        return await derivations.describe(body.username.trim())
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
