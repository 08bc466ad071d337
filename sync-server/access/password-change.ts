import {
  type AccountsDocument,
  accountKey,
  isAccount,
  type SessionDocument,
  sessionKey,
} from './account-documents.ts'
import type { Caller } from './token-keeper.ts'

/** `stale`: somebody changed the password meanwhile; `signed_out`: the sign-in ended meanwhile. */
export type PasswordChangeOutcome = 'done' | 'stale' | 'signed_out'

/**
 * Decides a password change, for `update` over the account and the caller's sign-in. The same write
 * moves that sign-in to the new password and invalidates all others, even if a crash prevents
 * ending them.
 * @param verified the account's `passwordChanges` when the current password was checked
 */
export function decidePasswordChange(
  stored: ReadonlyMap<string, AccountsDocument>,
  asked: { caller: Caller; verified: number | undefined; passwordHash: string },
): { put: AccountsDocument[]; result: PasswordChangeOutcome } {
  const { caller, verified, passwordHash } = asked
  const account = stored.get(accountKey(caller.userId))
  const session = stored.get(sessionKey(caller)) as SessionDocument | undefined
  if (!isAccount(account) || !session) return { put: [], result: 'signed_out' }
  // An earlier round wrote only the account, because another request wrote the sign-in: continue
  // it.
  const isBegun = account.passwordHash === passwordHash
  if (!isBegun && !isSignInFor(account, verified)) return { put: [], result: 'stale' }
  if (!isBegun && !isSignInFor(account, session.passwordChanges)) {
    return { put: [], result: 'signed_out' }
  }
  const passwordChanges = (account.passwordChanges ?? 0) + (isBegun ? 0 : 1)
  return {
    put: [
      { ...account, passwordHash, passwordChanges },
      { ...session, passwordChanges },
    ],
    result: 'done',
  }
}

/** Is a sign-in made after `passwordChanges` changes still valid for this account? */
export function isSignInFor(
  account: AccountsDocument | undefined,
  passwordChanges: number | undefined,
): boolean {
  return isAccount(account) && (account.passwordChanges ?? 0) === (passwordChanges ?? 0)
}
