import type { PasswordSecret } from '../../../schema/encryption/password-derivation.ts'
import { limits } from '../../../schema/limits.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import { listSignInClaims } from '../../access/claims.ts'
import type { PasswordDerivations } from '../../access/password-derivations.ts'
import type { PasswordHasher } from '../../access/password-hasher.ts'
import {
  isSecretOf,
  readStoredPassword,
  writeStoredPassword,
} from '../../access/stored-password.ts'
import { refuseTooEarly } from '../core/request-refused.ts'

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * Limits failed guesses in 15 minutes, by address: 10 for a name, 100 in all, so nobody locks out
 * somebody elsewhere. Counts the typed name, or a limit would reveal its account. An account has
 * at most three names and five former ones, so 80 guesses.
 */
export function createPasswordCheck(options: {
  hasher: PasswordHasher
  derivations: PasswordDerivations
  limitAttempts: LimitAttempts
}) {
  const { hasher, derivations, limitAttempts } = options
  const { max, perAddressMax, windowMs } = limits.failedSignIns
  const perName = limitAttempts('sign-ins by a name', { max, windowMs })
  const perAddress = limitAttempts('sign-ins from an address', { max: perAddressMax, windowMs })

  /** @returns what to store from now on, of an account that was known by bcrypt alone */
  async function checkSecret(asked: { account: AccountDocument | undefined } & ShownSecret) {
    const { account, secret: given } = asked
    const stored = account && readStoredPassword(account.passwordHash)
    const isRight = isSecretOf(stored, given)
    if (!isRight || stored?.kind !== 'earlier' || !account) return { isRight }
    // An app that derived with another salt would be locked out by what it shows now.
    if (given.salt !== derivations.saltForEarlier(account.userId)) return { isRight: false }
    return { isRight, renewed: writeStoredPassword({ ...given, logN: hasher.logN }) }
  }

  async function check(asked: Asked) {
    const { account, shown, address, gone } = asked
    if (shown.secret) return await checkSecret({ account, secret: shown.secret })
    const tried = {
      password: shown.password ?? '',
      hash: account?.passwordHash,
      salt: derivations.saltForEarlier(account?.userId ?? ''),
      isEarlierLeft: await derivations.isEarlierLeft(),
    }
    return await hasher.verify(tried, { address, gone })
  }

  /**
   * Checks a password, or the secret that stands in its place. An account that was known by bcrypt
   * alone is taken over by the way.
   * @param asked.name the typed name, whether or not such an account exists
   * @param asked.gone aborts when nobody waits for the answer
   * @throws RequestRefused `too_many_attempts`
   * @throws HasherBusy
   * @throws CallerGone
   */
  return async (asked: Asked): Promise<boolean> => {
    const { account, name, address } = asked
    // The last claim is the same for every spelling of a phone number.
    const key = `${address} ${listSignInClaims(name).at(-1)}`
    const seconds = Math.max(perName.secondsToWait(key), perAddress.secondsToWait(address))
    refuseTooEarly(seconds, 'too_many_attempts')
    // Count before checking, or a hundred parallel guesses would all be the first.
    perName.count(key)
    const { isRight, renewed } = await check(asked)
    if (isRight) perName.forget(key)
    else perAddress.count(address)
    if (account && renewed) await derivations.renew(account, renewed)
    return isRight
  }
}

interface ShownSecret {
  secret: PasswordSecret
}

interface Asked {
  account: AccountDocument | undefined
  name: string
  shown: { password?: string | undefined; secret?: PasswordSecret | undefined }
  address: string
  gone: AbortSignal
}
