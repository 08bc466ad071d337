import type { Request } from 'express'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { limits } from '../../../schema/limits.ts'
import type { AccountDocument, SessionDocument } from '../../access/account-documents.ts'
import { PasswordOutdated, type Sessions } from '../../access/sessions.ts'
import type { TokenKeeper } from '../../access/token-keeper.ts'
import { RequestRefused } from '../core/request-refused.ts'
import type { UserPresenter } from '../users/user-presenter.ts'

export type SignIn = ReturnType<typeof createSignIn>

/**
 * Begins a session for an authenticated person, and builds the answer. Fails with
 * `invalid_credentials` when the checked password is no longer the account's. A device whose
 * answer got lost gives the session that it has: `known`.
 */
export function createSignIn(options: {
  sessions: Sessions
  tokens: TokenKeeper
  presenter: UserPresenter
}) {
  const { sessions, tokens, presenter } = options
  return async (begun: {
    account: AccountDocument
    isKept: boolean
    request: Request
    sessionId?: string | undefined
    known?: SessionDocument
  }): Promise<SignedIn> => {
    const { account, isKept, request, sessionId, known } = begun
    const start = () =>
      sessions.start({
        userId: account.userId,
        sessionId,
        device: request.get('user-agent') ?? 'Unknown device',
        keptMs: isKept ? limits.signInKeptMs : limits.signInOnceMs,
        passwordChanges: account.passwordChanges,
      })
    const session = known ?? (await start().catch(refuseOutdated))
    const token = tokens.sign(session, session.expiresAt)
    return { token, user: await presenter.presentOwn(account) }
  }
}

function refuseOutdated(error: unknown): never {
  if (error instanceof PasswordOutdated) throw new RequestRefused('invalid_credentials')
  throw error
}
