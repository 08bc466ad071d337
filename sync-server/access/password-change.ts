import type { WrappedSeed } from '../../schema/encryption/account-keys.ts'
import {
  type AccountsDocument,
  accountKey,
  isAccount,
  type SessionDocument,
  sessionKey,
} from './account-documents.ts'
import type { Caller } from './token-keeper.ts'

/**
 * `stale`: somebody changed the password meanwhile; `signed_out`: the sign-in ended meanwhile;
 * `needs_wrap`: the account has keys, and nothing says what opens them from now on.
 */
export type PasswordChangeOutcome = 'done' | 'stale' | 'signed_out' | 'needs_wrap'

/**
 * Decides a password change, for `update` over the account and the caller's sign-in. The same write
 * moves that sign-in to the new password and invalidates all others, even if a crash prevents
 * ending them.
 * @param verified the account's `passwordChanges` when the current password was checked
 */
export function decidePasswordChange(
  stored: ReadonlyMap<string, AccountsDocument>,
  asked: {
    caller: Caller
    verified: number | undefined
    passwordHash: string
    wrappedSeed?: WrappedSeed | undefined
  },
): { put: AccountsDocument[]; result: PasswordChangeOutcome } {
  const { caller, verified, passwordHash, wrappedSeed } = asked
  const account = stored.get(accountKey(caller.userId))
  const session = stored.get(sessionKey(caller)) as SessionDocument | undefined
  if (!isAccount(account) || !session) return { put: [], result: 'signed_out' }
  // An earlier round wrote only the account, because another request wrote the sign-in: continue
  // it.
  const isBegun = account.passwordHash === passwordHash && isSignInFor(account, (verified ?? 0) + 1)
  if (!isBegun && !isSignInFor(account, verified)) return { put: [], result: 'stale' }
  if (!isBegun && !isSignInFor(account, session.passwordChanges)) {
    return { put: [], result: 'signed_out' }
  }
  if (account.keys?.number !== wrappedSeed?.number) return { put: [], result: 'needs_wrap' }
  const passwordChanges = (account.passwordChanges ?? 0) + (isBegun ? 0 : 1)
  return {
    put: [
      { ...account, passwordHash, passwordChanges, ...(wrappedSeed && { wrappedSeed }) },
      { ...session, passwordChanges },
    ],
    result: 'done',
  }
}

/** Is a sign-in made after `passwordChanges` changes still valid? To a disabled account none is. */
export function isSignInFor(
  account: AccountsDocument | undefined,
  passwordChanges: number | undefined,
): boolean {
  if (!isAccount(account) || account.disabledAt !== undefined) return false
  return (account.passwordChanges ?? 0) === (passwordChanges ?? 0)
}
