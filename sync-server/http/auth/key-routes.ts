import { createPublicKey, verify } from 'node:crypto'
import { keptSeeds, newKeys, newWraps } from '../../../schema/api/auth.ts'
import { type PublicKeys, publicKeysText } from '../../../schema/encryption/account-keys.ts'
import { ownUser } from '../../../schema/user.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { findAccount } from '../users/find-account.ts'
import type { UserPresenter } from '../users/user-presenter.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'

/**
 * A person's keys. The server keeps the public halves and the wrapped seed, and can open nothing.
 * What replaces keys or wraps needs the password: a stolen session could lock the owner out.
 */
export function createKeyRoutes(options: {
  accounts: Accounts
  presenter: UserPresenter
  checkPassword: PasswordCheck
  encryption: 'on' | 'off'
}): Route[] {
  const { accounts, presenter, checkPassword, encryption } = options

  async function requirePassword(
    account: AccountDocument,
    asked: Omit<Parameters<PasswordCheck>[0], 'account' | 'name'>,
  ) {
    const isRight = await checkPassword({ ...asked, account, name: account.userId })
    if (!isRight) throw new RequestRefused('wrong_password')
  }

  return [
    defineRoute({
      method: 'get',
      path: '/users/me/keys',
      access: 'signed-in',
      summary: 'What your password and your recovery key open.',
      status: 200,
      answer: keptSeeds,
      errors: ['user_not_found'],
      async handle({ caller }) {
        const { wrappedSeed, recoverySeed } = await findAccount(accounts, caller.userId)
        return { wrappedSeed, recoverySeed }
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/me/keys',
      access: 'signed-in',
      summary: 'Your first keys; or, with your password, new ones in their place.',
      body: newKeys,
      status: 200,
      answer: ownUser,
      errors: [
        'encryption_off',
        'keys_outdated',
        'keys_unsigned',
        'wrong_password',
        'too_many_attempts',
        'user_not_found',
      ],
      async handle({ caller: { userId }, body, address, response }) {
        if (encryption === 'off') throw new RequestRefused('encryption_off')
        const { password, secret, ...given } = body
        const { keys } = given
        if (!isSigned(keys, userId)) throw new RequestRefused('keys_unsigned')
        const account = await findAccount(accounts, userId)
        // An answer that got lost is given again.
        if (account.keys?.signature === keys.signature) return await presenter.presentOwn(account)
        if (keys.number !== (account.keys?.number ?? 0) + 1)
          throw new RequestRefused('keys_outdated')
        const verified = account.passwordChanges
        if (account.keys) {
          const isChecked = await withDepartureSignal(response, (gone) =>
            requirePassword(account, { shown: { password, secret }, address, gone }),
          )
          if (isChecked === alreadySent) return alreadySent
        }
        const outcome = await accounts.setKeys(userId, { ...given, verified })
        if (outcome.kind !== 'done') throw new RequestRefused('keys_outdated')
        return await presenter.presentOwn(outcome.account)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/me/keys/wraps',
      access: 'signed-in',
      summary: 'Wraps the seed of your keys once more, with your password.',
      body: newWraps,
      status: 200,
      answer: keptSeeds,
      errors: ['keys_outdated', 'wrong_password', 'too_many_attempts', 'user_not_found'],
      async handle({ caller: { userId }, body, address, response }) {
        const { password, secret, ...wraps } = body
        const account = await findAccount(accounts, userId)
        const isChecked = await withDepartureSignal(response, (gone) =>
          requirePassword(account, { shown: { password, secret }, address, gone }),
        )
        if (isChecked === alreadySent) return alreadySent
        const verified = account.passwordChanges
        const outcome = await accounts.setWraps(userId, { ...wraps, verified })
        if (outcome.kind !== 'done') throw new RequestRefused('keys_outdated')
        const { wrappedSeed, recoverySeed } = outcome.account
        return { wrappedSeed, recoverySeed }
      },
    }),
  ]
}

/** Apps check it too; here it keeps out what no app would take. */
function isSigned(keys: PublicKeys, userId: string): boolean {
  try {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: keys.signing },
      format: 'jwk',
    })
    const signature = new Uint8Array(Buffer.from(keys.signature, 'base64url'))
    return verify(null, new TextEncoder().encode(publicKeysText(keys, userId)), key, signature)
  } catch {
    return false
  }
}
