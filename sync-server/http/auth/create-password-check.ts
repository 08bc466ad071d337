import { limits } from '../../../schema/limits.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { LimitAttempts } from '../../access/create-attempt-limiter.ts'
import type { PasswordHasher } from '../../access/create-password-hasher.ts'
import { RequestRefused } from '../request-refused.ts'

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * Checks passwords, and stops whoever guesses: ten failures for one account from one address, and a hundred
 * from one address, in fifteen minutes. Nobody can lock somebody else out from another address.
 */
export function createPasswordCheck(options: {
  hasher: PasswordHasher
  limitAttempts: LimitAttempts
}) {
  const { hasher, limitAttempts } = options
  const { max, perAddressMax, windowMs } = limits.failedSignIns
  const perAccount = limitAttempts('sign-ins of an account', { max, windowMs })
  const perAddress = limitAttempts('sign-ins from an address', { max: perAddressMax, windowMs })

  /**
   * @param asked.name what tells the account apart, whether or not it exists
   * @throws RequestRefused `too_many_attempts`
   */
  return async (asked: {
    account: AccountDocument | undefined
    name: string
    password: string
    address: string
  }): Promise<boolean> => {
    const { account, name, password, address } = asked
    const key = `${address} ${(account?.userId ?? name).toLowerCase()}`
    const seconds = Math.max(perAccount.secondsToWait(key), perAddress.secondsToWait(address))
    if (seconds > 0) {
      throw new RequestRefused('too_many_attempts', { headers: { 'retry-after': String(seconds) } })
    }
    // Counted before it is known, or a hundred guesses at once would all be the first.
    perAccount.count(key)
    const isRight = await hasher.verify(password, account?.passwordHash)
    if (isRight) perAccount.forget(key)
    else perAddress.count(address)
    return isRight
  }
}
