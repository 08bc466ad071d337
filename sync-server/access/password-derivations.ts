import {
  earlierPasswordCost,
  type PasswordDerivation,
  passwordCost,
} from '../../schema/encryption/password-derivation.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountKey,
  isAccount,
  type PasswordsDocument,
} from './account-documents.ts'
import type { Accounts } from './accounts.ts'
import { claimKey, listSignInClaims } from './claims.ts'
import { createSaltMaker, nobodysPassword, readStoredPassword } from './stored-password.ts'

export type PasswordDerivations = ReturnType<typeof createPasswordDerivations>

const accountsAtOnce = 500
const passwordsKey: PasswordsDocument['_id'] = 'passwords'

/**
 * How passwords become secrets: for people, and as readily for names that nobody has. Accounts whose
 * password is known by bcrypt alone are taken over when it is shown next.
 * @param options.secret what the salts of unknown names come from: the servers' own
 * @param options.logN scrypt's cost of new passwords
 */
export function createPasswordDerivations(options: {
  database: StoredDatabase<AccountsDocument>
  accounts: Pick<Accounts, 'findBySignInName'>
  secret: string
  logN: number
}) {
  const { database, accounts, secret, logN } = options
  const salts = createSaltMaker({ secret })
  const state = { looking: undefined as Promise<boolean> | undefined }

  async function findEarlier(): Promise<boolean> {
    const noted = (await database.read([passwordsKey])).get(passwordsKey)
    if (noted) return false
    const range = idsFrom('user:')
    for (;;) {
      const page = await database.range({ ...range, limit: accountsAtOnce })
      if (page.some(isEarlier)) return true
      const last = page.at(-1)
      if (!last || page.length < accountsAtOnce) break
      range.startkey = idsFrom(last._id).endkey
    }
    await database.update([passwordsKey], () => ({
      put: [{ _id: passwordsKey, areRenewed: true as const }],
      result: undefined,
    }))
    return false
  }

  /** Looks once at each start: accounts that are added have none. */
  function isEarlierLeft(): Promise<boolean> {
    state.looking ??= findEarlier().catch((error: unknown) => {
      state.looking = undefined
      throw error
    })
    return state.looking
  }

  /** What an account from before scrypt gets; another name later changes nothing. */
  const saltForEarlier = (userId: string) => salts.salt(`account ${userId}`)
  /** The salt that this name has had while nobody had it: registering it changes nothing. */
  const saltForNew = (username: string) => salts.salt(claimKey('username', username))

  return {
    isEarlierLeft,
    saltForEarlier,
    saltForNew,

    /** The salt of an account for as long as it lives. */
    saltOf({ userId, passwordHash }: AccountDocument): string {
      const stored = readStoredPassword(passwordHash)
      return stored?.kind === 'secret' ? stored.salt : saltForEarlier(userId)
    },

    /** For a new password of an account with this salt. */
    describeNew(salt: string): PasswordDerivation {
      const { r, p } = passwordCost
      return { v: 1, salt, logN, r, p }
    },

    /** As much work for a name that nobody has. @param name as at sign-in */
    async describe(name: string): Promise<PasswordDerivation> {
      const account = await accounts.findBySignInName(name)
      const stored = readStoredPassword(account?.passwordHash ?? nobodysPassword)
      const claim = listSignInClaims(name)[0] ?? name
      const { r, p } = passwordCost
      const made = {
        byName: salts.salt(claim),
        byAccount: saltForEarlier(account?.userId ?? ''),
        earlier: { salt: salts.earlierSalt(claim), cost: earlierPasswordCost },
      }
      const earlier = (await isEarlierLeft()) && {
        earlier:
          stored?.kind === 'earlier' ? { salt: stored.salt, cost: stored.cost } : made.earlier,
      }
      const unproved = account ? made.byAccount : made.byName
      const known =
        account && stored?.kind === 'secret'
          ? { salt: stored.salt, logN: stored.logN }
          : { salt: unproved, logN }
      return { v: 1, ...known, r, p, ...earlier }
    },

    /** Stores the renewed password, unless it changed meanwhile. */
    async renew(account: AccountDocument, passwordHash: string): Promise<void> {
      const id = accountKey(account.userId)
      await database.update([id], (stored) => {
        const current = stored.get(id)
        const isSame = isAccount(current) && current.passwordHash === account.passwordHash
        return { put: isSame ? [{ ...current, passwordHash }] : [], result: undefined }
      })
    },
  }
}

function isEarlier(document: AccountsDocument): boolean {
  return isAccount(document) && readStoredPassword(document.passwordHash)?.kind === 'earlier'
}
