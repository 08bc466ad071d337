import {
  type AccountsDocument,
  accountKey,
  isAccount,
  type SessionDocument,
  sessionKey,
} from './account-documents.ts'
import type { Caller } from './token-keeper.ts'

/** `stale`: the password that was shown has been changed meanwhile; `signed_out`: so was the sign-in ended. */
export type PasswordChangeOutcome = 'done' | 'stale' | 'signed_out'

/**
 * Decides a change of a password, for `update` over the account and the sign-in of whoever asks. That sign-in goes over
 * to the new password; by the same write every other one is good no more, also where a crash comes before they are ended.
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
  // A round that wrote only the account, because the sign-in was written elsewhere, is gone on with.
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

/** Is a sign-in that was made after so many changes of the password good for this account? */
export function isSignInFor(
  account: AccountsDocument | undefined,
  passwordChanges: number | undefined,
): boolean {
  return isAccount(account) && (account.passwordChanges ?? 0) === (passwordChanges ?? 0)
}
