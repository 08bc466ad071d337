import { limits } from '../../../schema/limits.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { listSignInClaims } from '../../access/claims.ts'
import type { PasswordHasher } from '../../access/passwords/password-hasher.ts'
import { refuseTooEarly } from '../core/refuse-too-early.ts'

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * Limits failed guesses in 15 minutes, by address: 10 for a name, 100 in all, so nobody locks out
 * somebody elsewhere. Counts the typed name, or a limit would reveal its account. An account has
 * at most three names and five former ones, so 80 guesses.
 */
export function createPasswordCheck(options: {
  hasher: PasswordHasher
  limitAttempts: LimitAttempts
}) {
  const { hasher, limitAttempts } = options
  const { max, perAddressMax, windowMs } = limits.failedSignIns
  const perName = limitAttempts('sign-ins by a name', { max, windowMs })
  const perAddress = limitAttempts('sign-ins from an address', { max: perAddressMax, windowMs })

  /**
   * @param asked.name the typed name, whether or not such an account exists
   * @param asked.gone aborts when nobody waits for the answer
   * @throws RequestRefused `too_many_attempts`
   * @throws HasherBusy
   * @throws CallerGone
   */
  return async (asked: {
    account: AccountDocument | undefined
    name: string
    password: string
    address: string
    gone: AbortSignal
  }): Promise<boolean> => {
    const { account, name, password, address, gone } = asked
    // The last claim is the same for every spelling of a phone number.
    const key = `${address} ${listSignInClaims(name).at(-1)}`
    const seconds = Math.max(perName.secondsToWait(key), perAddress.secondsToWait(address))
    refuseTooEarly(seconds, 'too_many_attempts')
    // Count before checking, or a hundred parallel guesses would all be the first.
    perName.count(key)
    const tried = { password, hash: account?.passwordHash }
    const isRight = await hasher.verify(tried, { address, gone })
    if (isRight) perName.forget(key)
    else perAddress.count(address)
    return isRight
  }
}
