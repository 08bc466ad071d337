import * as z from 'zod/mini'
import { passwordChange, session } from '../../../schema/api/auth.ts'
import { passwordChanged, sessionEnded } from '../../../schema/api/done-answers.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { PasswordDerivations } from '../../access/password-derivations.ts'
import type { PasswordHasher } from '../../access/password-hasher.ts'
import type { Sessions } from '../../access/sessions.ts'
import { writeStoredPassword } from '../../access/stored-password.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { findAccount } from '../users/find-account.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'

const iso = (epochMs: number) => new Date(epochMs).toISOString()

/** A person's sign-ins, and the password behind them. */
export function createSessionRoutes(options: {
  accounts: Accounts
  hasher: PasswordHasher
  derivations: PasswordDerivations
  sessions: Sessions
  checkPassword: PasswordCheck
}): Route[] {
  const { accounts, hasher, derivations, sessions, checkPassword } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users/me/sessions',
      access: 'signed-in',
      summary: 'Where you are signed in.',
      status: 200,
      answer: z.array(session),
      async handle({ caller }) {
        const found = await sessions.list(caller.userId)
        return found.map(({ sessionId, device, createdAt, lastUsedAt, expiresAt }) => ({
          _id: sessionId,
          device,
          createdAt: iso(createdAt),
          lastUsedAt: iso(lastUsedAt),
          expiresAt: iso(expiresAt),
          isCurrent: sessionId === caller.sessionId,
        }))
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/users/me/sessions',
      access: 'signed-in',
      summary: 'Ends every sign-in but this one.',
      status: 200,
      answer: sessionEnded,
      async handle({ caller }) {
        await sessions.endOthers(caller.userId, caller.sessionId)
        return { isEnded: true as const }
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/users/me/sessions/{id}',
      access: 'signed-in',
      summary: 'Ends one of your sign-ins; its device is signed out at once.',
      params: z.object({ id: z.string() }),
      status: 200,
      answer: sessionEnded,
      errors: ['session_not_found'],
      async handle({ caller, params }) {
        const isEnded = await sessions.end({ userId: caller.userId, sessionId: params.id })
        if (!isEnded) throw new RequestRefused('session_not_found')
        return { isEnded }
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/me/password',
      access: 'signed-in',
      summary: 'Changes your password and ends every other sign-in.',
      body: passwordChange,
      status: 200,
      answer: passwordChanged,
      errors: ['wrong_password', 'too_many_attempts', 'user_not_found', 'keys_need_wrap'],
      async handle({ caller, body, address, response }) {
        const { currentPassword, currentSecret, newPassword, newSecret, wrappedSeed } = body
        const account = await findAccount(accounts, caller.userId)
        const shown = { password: currentPassword, secret: currentSecret }
        const passwordHash = await withDepartureSignal(response, async (gone) => {
          const tried = { account, name: caller.userId, shown, address, gone }
          if (!(await checkPassword(tried))) throw new RequestRefused('wrong_password')
          const salt = derivations.saltOf(account)
          if (newPassword !== undefined) {
            return await hasher.hash({ password: newPassword, salt }, { address, gone })
          }
          // Whoever signs in next is told this salt.
          if (newSecret?.salt !== salt) throw new RequestRefused('invalid_input')
          return writeStoredPassword({ ...newSecret, logN: hasher.logN })
        })
        if (passwordHash === alreadySent) return alreadySent
        const verified = account.passwordChanges
        const asked = { caller, verified, passwordHash, wrappedSeed }
        const outcome = await sessions.changePassword(asked)
        if (outcome === 'signed_out') throw new RequestRefused('session_ended')
        if (outcome === 'stale') throw new RequestRefused('wrong_password')
        if (outcome === 'needs_wrap') throw new RequestRefused('keys_need_wrap')
        return { isChanged: true as const }
      },
    }),
  ]
}
