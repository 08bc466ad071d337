import { isDeepStrictEqual } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { defaultAbout, limits } from '../../schema/limits.ts'
import { clampSettings, mergeSettings, type TimedSettings } from '../../schema/settings.ts'
import type { ProfileChange } from '../../schema/user.ts'
import { idsFrom } from '../storage/documents/ids-from.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountDeletionKey,
  accountKey,
  type ClaimDocument,
  isAccount,
  type SeenDocument,
  seenKey,
} from './account-documents.ts'
import { type AccountChange, changeAccount } from './change-account.ts'
import {
  type ClaimId,
  claimKey,
  listClaims,
  listFormerClaims,
  listLookalikeClaims,
  listSignInClaims,
  releaseClaim,
} from './claims.ts'
import {
  dropLooseLink,
  dropLooseNumber,
  type LinkDetails,
  linkWhatsApp,
  unlinkWhatsApp,
} from './link-whatsapp.ts'
import { createLookalikeClaims } from './lookalike-claims.ts'
import { isSignInFor } from './password-change.ts'
import { listPhoneVariants } from './phone-variants.ts'

export type Accounts = ReturnType<typeof createAccounts>

/** Keeps the people of this server. @param now epoch ms */
export function createAccounts(options: {
  database: StoredDatabase<AccountsDocument>
  now?: () => number
}) {
  const { database, now = Date.now } = options
  const lookalikes = createLookalikeClaims({ database, now })

  async function findAll(userIds: readonly string[]): Promise<Map<string, AccountDocument>> {
    const found = await database.read(userIds.map(accountKey))
    const accounts = [...found.values()].filter(isAccount)
    return new Map(accounts.map((account) => [account.userId, account]))
  }

  const find = async (userId: string) => (await findAll([userId])).get(userId)

  /** The people who own these claims, in the order of the claims. */
  async function findByClaims(
    ids: readonly ClaimId[],
    listHeld = listClaims,
  ): Promise<AccountDocument[]> {
    const claims = await database.read(ids)
    const owners = ids.map(async (id) => {
      const claim = claims.get(id) as ClaimDocument | undefined
      const account = claim && (await find(claim.userId))
      return account && listHeld(account).includes(id) ? [account] : []
    })
    return (await Promise.all(owners)).flat()
  }

  function change(userId: string, next: (account: AccountDocument) => AccountDocument) {
    const build = (stored: AccountsDocument | undefined) =>
      isAccount(stored) ? next(stored) : null
    return changeAccount({ database, userId, build, now })
  }

  /** @returns false when the person has other names by now: all of them must be freed */
  async function removeAs(account: AccountDocument): Promise<boolean> {
    const { _id, userId } = account
    const claims = listWaysIn(account)
    const ids = [_id, accountDeletionKey(userId), ...claims]
    const { result } = await database.update<boolean>(ids, (stored) => {
      const current = stored.get(_id)
      if (!isAccount(current) || !isDeepStrictEqual(listWaysIn(current), claims)) {
        return { result: false }
      }
      const own = claims.filter(
        (id) => (stored.get(id) as ClaimDocument | undefined)?.userId === userId,
      )
      const put = [
        { _id, userId, departedAt: now() },
        { _id: accountDeletionKey(userId), userId, leavingSince: now() },
        ...own.map((id) => releaseClaim(id, userId)),
      ]
      return { put, result: true }
    })
    return result
  }

  return {
    find,
    findAll,

    /**
     * Call at the start: gives old accounts the claims that block look-alike names. Until it
     * resolves nobody gets a name, because it might look like one that is taken.
     */
    completeClaims: lookalikes.complete,

    /** Creates a person; `taken` says which field somebody else has. */
    async register(details: { username: string; email: string; passwordHash: string }) {
      await lookalikes.complete()
      const userId = uuidv7()
      const account: AccountDocument = {
        _id: accountKey(userId),
        userId,
        ...details,
        status: defaultAbout,
        profilePicture: null,
        createdAt: now(),
        settings: {},
      }
      const build = (stored: AccountsDocument | undefined) =>
        stored === undefined || isAccount(stored) ? account : null
      return await changeAccount({ database, userId, build, now })
    },

    /** Which of these somebody already has; claims neither. */
    async findTaken({ username, email }: { username: string; email: string }) {
      await lookalikes.complete()
      const names = [claimKey('username', username), ...listLookalikeClaims(username)]
      if ((await findByClaims(names)).length > 0) return 'username'
      const [owner] = await findByClaims([claimKey('email', email)])
      return owner && 'email'
    },

    /** The person of a username, an email address or a phone number in any formatting. */
    async findByName(text: string): Promise<AccountDocument | undefined> {
      return (await findByClaims(listSignInClaims(text)))[0]
    },

    /**
     * As `findByName`, for signing in: also finds a former name that nobody else has registered.
     */
    async findBySignInName(text: string): Promise<AccountDocument | undefined> {
      return (await findByClaims(listSignInClaims(text), listWaysIn))[0]
    },

    /** The person with a phone number; other forms of it count if exactly one person has one. */
    async findByPhone(digits: string): Promise<AccountDocument | undefined> {
      const [exact] = await findByClaims([claimKey('phone', digits)])
      if (exact) return exact
      const variants = listPhoneVariants(digits).map((variant) => claimKey('phone', variant))
      const found = await findByClaims(variants)
      return found.length === 1 ? found[0] : undefined
    },

    /** The operator of this business number. */
    async findByNumberId(phoneNumberId: string): Promise<AccountDocument | undefined> {
      return (await findByClaims([claimKey('number', phoneNumberId)]))[0]
    },

    /** At most `limit` people in the order of their registration. */
    async list(limit: number): Promise<AccountDocument[]> {
      const people: AccountDocument[] = []
      const range = idsFrom('user:')
      while (people.length < limit) {
        // Deleted accounts lie in this range too; skip them.
        const page = await database.range({ ...range, limit })
        people.push(...page.filter(isAccount))
        const last = page.at(-1)
        if (!last || page.length < limit) break
        range.startkey = idsFrom(last._id).endkey
      }
      return people.slice(0, limit)
    },

    /** @param vouched what the provider confirmed about the given business number */
    async changeProfile(
      userId: string,
      wanted: ProfileChange,
      vouched: Record<string, string> = {},
    ): Promise<AccountChange> {
      if (wanted.username !== undefined) await lookalikes.complete()
      return await change(userId, (account) => {
        const next = dropLooseNumber(account, applyProfile(account, wanted))
        const profile = { ...next.profile, ...vouched }
        return dropLooseLink(Object.keys(vouched).length > 0 ? { ...next, profile } : next)
      })
    },

    /**
     * Another email; `missing` when the password has changed since it was checked.
     * @param asked.verified the account's `passwordChanges` when it was checked
     */
    changeEmail: (
      userId: string,
      { email, verified }: { email: string; verified: number | undefined },
    ): Promise<AccountChange> =>
      changeAccount({
        database,
        userId,
        now,
        build: (stored) =>
          isAccount(stored) && isSignInFor(stored, verified) ? { ...stored, email } : null,
      }),

    /** Replaces any earlier link; `taken` when somebody else has either number. */
    linkWhatsApp: (userId: string, link: LinkDetails): Promise<AccountChange> =>
      change(userId, (account) => linkWhatsApp(account, link)),

    unlinkWhatsApp: (userId: string): Promise<AccountChange> => change(userId, unlinkWhatsApp),

    /**
     * Merges settings into the stored ones, each by its time; those without one count as set now.
     */
    async changeSettings(
      userId: string,
      given: Partial<TimedSettings>,
    ): Promise<AccountChange | { kind: 'too_large' }> {
      const state = { isTooLarge: false }
      const outcome = await change(userId, (account) => {
        const { settings, settingsAt = {} } = account
        const merged = mergeSettings({ settings, settingsAt }, clampSettings(given, now()))
        const { length } = JSON.stringify(merged.settings)
        state.isTooLarge = length > limits.settingsMaxLength
        return state.isTooLarge ? account : { ...account, ...merged }
      })
      return state.isTooLarge ? { kind: 'too_large' } : outcome
    },

    /**
     * Removes the account and frees its names. The id stays as a departed person, marked as
     * leaving.
     */
    async remove(userId: string): Promise<void> {
      for (;;) {
        const account = await find(userId)
        if (!account) return
        if (await removeAs(account)) return
      }
    },

    /** When each was last online, epoch ms; the map omits people who never were. */
    async readLastSeen(userIds: readonly string[]): Promise<Map<string, number>> {
      const found = await database.read(userIds.map(seenKey))
      return new Map(
        userIds.flatMap((userId) => {
          const seen = found.get(seenKey(userId)) as SeenDocument | undefined
          return seen ? [[userId, seen.lastSeen]] : []
        }),
      )
    },

    async forgetLastSeen(userId: string): Promise<void> {
      const _id = seenKey(userId)
      await database.update([_id], () => ({
        put: [{ _id, lastSeen: 0, _deleted: true as const }],
        result: undefined,
      }))
    },

    /** Times never go back, whichever server saw the disconnect. */
    async writeLastSeen(userIds: readonly string[], lastSeen: number): Promise<void> {
      const ids = userIds.flatMap((userId) => [seenKey(userId), accountKey(userId)])
      await database.update(ids, (stored) => {
        // Departed people get no last-seen time.
        const here = userIds.filter((userId) => isAccount(stored.get(accountKey(userId))))
        const put = here.map((userId) => {
          const _id = seenKey(userId)
          const before = stored.get(_id) as SeenDocument | undefined
          return { _id, lastSeen: Math.max(before?.lastSeen ?? 0, lastSeen) }
        })
        return { put, result: undefined }
      })
    },

    close: lookalikes.close,
  }
}

function listWaysIn(account: AccountDocument): ClaimId[] {
  return [...listClaims(account), ...listFormerClaims(account)]
}

/** Fields that are not given stay; null takes one away. */
function applyProfile(account: AccountDocument, wanted: ProfileChange): AccountDocument {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const next = { ...account, ...Object.fromEntries(given) }
  const cleared = given.filter(([name, value]) => value === null && name !== 'profilePicture')
  return Object.fromEntries(
    Object.entries(next).filter(([name]) => !cleared.some(([other]) => other === name)),
  ) as unknown as AccountDocument
}
