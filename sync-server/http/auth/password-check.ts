import { limits } from '../../../schema/limits.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { listSignInClaims } from '../../access/claims.ts'
import type { PasswordHasher } from '../../access/passwords/password-hasher.ts'
import { RequestRefused } from '../core/request-refused.ts'

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * Checks passwords, and stops whoever guesses: ten failures for one name from one address, and a hundred from one
 * address, in fifteen minutes. Nobody can lock somebody else out from another address. Failures are counted by what was
 * typed, never by the account that it leads to: else a name that is stopped at once would tell whose it is. An account
 * has three names and five former ones at most, so that is 80 guesses at it.
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
   * @param asked.name what was typed, whether or not there is such an account
   * @param asked.gone given when nobody waits for the answer any more
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
    if (seconds > 0) {
      throw new RequestRefused('too_many_attempts', { headers: { 'retry-after': String(seconds) } })
    }
    // Counted before it is known, or a hundred guesses at once would all be the first.
    perName.count(key)
    const tried = { password, hash: account?.passwordHash }
    const isRight = await hasher.verify(tried, { address, gone })
    if (isRight) perName.forget(key)
    else perAddress.count(address)
    return isRight
  }
}
