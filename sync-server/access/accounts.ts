import { isDeepStrictEqual } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import type { PublicKeys, WrappedSeed } from '../../schema/encryption/account-keys.ts'
import { defaultAbout, limits } from '../../schema/limits.ts'
import { clampSettings, mergeSettings, type TimedSettings } from '../../schema/settings.ts'
import type { ProfileChange } from '../../schema/user.ts'
import type { JsonValue } from '../lib/json-value.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountDeletionKey,
  accountKey,
  type ClaimDocument,
  type HeldNameDocument,
  isAccount,
  listPhoneVariants,
  type SeenDocument,
  seenKey,
} from './account-documents.ts'
import {
  type AccountChange,
  changeAccount,
  createLookalikeClaims,
  endHold,
  holdFor,
  holdName,
  listHolds,
  sweepHolds,
} from './change-account.ts'
import {
  type ClaimId,
  claimKey,
  leaveClaim,
  listClaims,
  listFormerClaims,
  listLookalikeClaims,
  listSignInClaims,
} from './claims.ts'
import { isSignInFor } from './password-change.ts'

/** Each takes the password and is part of a record that everybody reads. */
const formerKeysMax = 20

export type Accounts = ReturnType<typeof createAccounts>

/** Keeps the people of this server. @param now epoch ms */
export function createAccounts(options: {
  database: StoredDatabase<AccountsDocument>
  now?: () => number
}) {
  const { database, now = Date.now } = options
  const lookalikes = createLookalikeClaims({ database, now })
  const state = { example: undefined as string | undefined }

  async function findAll(userIds: readonly string[]): Promise<Map<string, AccountDocument>> {
    const found = await database.read(userIds.map(accountKey))
    const accounts = [...found.values()].filter(isAccount)
    return new Map(accounts.map((account) => [account.userId, account]))
  }

  const find = async (userId: string) => (await findAll([userId])).get(userId)

  /** The people who own these claims, in the order of the claims. */
  async function findByClaims(ids: readonly ClaimId[]): Promise<AccountDocument[]> {
    const claims = await database.read(ids)
    const owners = ids.map(async (id) => {
      const claim = claims.get(id) as ClaimDocument | undefined
      const account = claim && (await find(claim.userId))
      return account && listClaims(account).includes(id) ? [account] : []
    })
    return (await Promise.all(owners)).flat()
  }

  /** An account that is read in the place of one that does not exist. */
  async function findExample(): Promise<string> {
    if (state.example === undefined) {
      const [first] = await database.range({ ...idsFrom('user:'), limit: 1 })
      state.example = first?._id
    }
    return state.example ?? accountKey('')
  }

  /**
   * Who signs in by this claim. Reads the same number of documents, an account among them each time,
   * whether or not there is such a claim: time tells nobody which names exist.
   */
  async function findBySignInClaim(id: ClaimId): Promise<AccountDocument | undefined> {
    const example = await findExample()
    const claim = (await database.read([id, example])).get(id) as ClaimDocument | undefined
    const owner = claim ? accountKey(claim.userId) : example
    const account = (await database.read([owner, id])).get(owner)
    const isOwner = isAccount(account) && listWaysIn(account).includes(id)
    return claim && isOwner ? account : undefined
  }

  /** The end of each person's line: changes of one account in parallel would overtake each other. */
  const lines = new Map<string, Promise<unknown>>()

  async function changeInTurn(
    userId: string,
    build: (stored: AccountsDocument | undefined) => AccountDocument | null,
    rights: { mayTakeNumber?: boolean } = {},
  ): Promise<AccountChange> {
    const work = () => changeAccount({ database, userId, build, now, ...rights })
    const own = (lines.get(userId) ?? Promise.resolve()).then(work, work)
    lines.set(userId, own)
    try {
      return await own
    } finally {
      if (lines.get(userId) === own) lines.delete(userId)
    }
  }

  function change(
    userId: string,
    next: (account: AccountDocument) => AccountDocument,
    rights: { mayTakeNumber?: boolean } = {},
  ) {
    const build = (stored: AccountsDocument | undefined) =>
      isAccount(stored) ? next(stored) : null
    return changeInTurn(userId, build, rights)
  }

  /** @returns `again` when the person has other names by now: all of them must be freed */
  async function removeAs(
    account: AccountDocument,
    { isWanted, holdMs }: { isWanted: (current: AccountDocument) => boolean; holdMs: number },
  ): Promise<'removed' | 'unwanted' | 'again'> {
    const { _id, userId } = account
    const claims = listWaysIn(account)
    const ids = [_id, accountDeletionKey(userId), ...claims, ...listHolds(account)]
    const { result } = await database.update<'removed' | 'unwanted' | 'again'>(ids, (stored) => {
      const current = stored.get(_id)
      if (!isAccount(current) || !isDeepStrictEqual(listWaysIn(current), claims)) {
        return { result: 'again' }
      }
      if (!isWanted(current)) return { result: 'unwanted' }
      const own = claims.flatMap((id) => {
        const claim = stored.get(id) as ClaimDocument | undefined
        return claim?.userId === userId ? [claim] : []
      })
      const put = [
        { _id, userId, departedAt: now() },
        { _id: accountDeletionKey(userId), userId, leavingSince: now() },
        ...own.map((claim) => leaveClaim(claim, now())),
        ...holdName(current, now() + holdMs),
      ]
      return { put, result: 'removed' }
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
     * As `findByName`, for signing in: also finds a former name that nobody else has registered, and
     * reads as much for a name that nobody has.
     */
    async findBySignInName(text: string): Promise<AccountDocument | undefined> {
      const found = await Promise.all(listSignInClaims(text).map(findBySignInClaim))
      return found.find((account) => account !== undefined)
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

    /** Up to `limit` people after that id, in the order of registration; `last` is where to go on. */
    async listAfter(
      after: string | undefined,
      limit: number,
    ): Promise<{ accounts: AccountDocument[]; last: string | undefined }> {
      const range = idsFrom('user:')
      if (after !== undefined) range.startkey = idsFrom(accountKey(after)).endkey
      const page = await database.range({ ...range, limit })
      const last = page.length < limit ? undefined : page.at(-1)
      return { accounts: page.filter(isAccount), last: last?._id.slice('user:'.length) }
    },

    /** Nobody signs in to a disabled account; its sign-ins have to be ended. */
    setDisabled: (userId: string, isDisabled: boolean): Promise<AccountChange> =>
      change(userId, ({ disabledAt, ...account }) =>
        isDisabled ? { ...account, disabledAt: disabledAt ?? now() } : account,
      ),

    /** @param bytes undefined for what everybody may store */
    setQuota: (userId: string, bytes: number | undefined): Promise<AccountChange> =>
      change(userId, ({ quotaBytes: _, ...account }) =>
        bytes === undefined ? account : { ...account, quotaBytes: bytes },
      ),

    async changeProfile(
      userId: string,
      wanted: ProfileChange,
      checked: CheckedNumber = nothingChecked,
    ): Promise<AccountChange> {
      if (wanted.username !== undefined) await lookalikes.complete()
      const { vouched, isProved, ...rights } = checked
      const build = (account: AccountDocument) => {
        const next = dropLooseNumber(account, applyProfile(account, wanted))
        const profile = { ...next.profile, ...vouched }
        const linked = dropLooseLink(Object.keys(vouched).length > 0 ? { ...next, profile } : next)
        return keepProof(account, linked, isProved ? now() : undefined)
      }
      return await change(userId, build, rights)
    },

    /**
     * Another email; `missing` when the password has changed since it was checked.
     * @param asked.verified the account's `passwordChanges` when it was checked
     */
    changeEmail: (
      userId: string,
      { email, verified }: { email: string; verified: number | undefined },
    ): Promise<AccountChange> =>
      changeInTurn(userId, (stored) =>
        isAccount(stored) && isSignInFor(stored, verified) ? { ...stored, email } : null,
      ),

    /**
     * The next keys of an account; `missing` when others came first, or the password changed since it
     * was checked. Words sealed to earlier keys need those: a recovery wrap never outlives its keys.
     */
    setKeys: (
      userId: string,
      given: {
        keys: PublicKeys
        wrappedSeed: WrappedSeed
        recoverySeed?: WrappedSeed | undefined
        verified: number | undefined
      },
    ): Promise<AccountChange> =>
      changeAccount({
        database,
        userId,
        now,
        build(stored) {
          const { verified, ...next } = given
          if (!isAccount(stored) || !isSignInFor(stored, verified)) return null
          if (next.keys.number !== (stored.keys?.number ?? 0) + 1) return null
          const { recoverySeed: _, formerKeys: earlier = [], ...rest } = stored
          const former = stored.keys ? [stored.keys, ...earlier].slice(0, formerKeysMax) : []
          const formerKeys = former.length > 0 ? former : undefined
          return withoutUndefined({ ...rest, ...next, formerKeys })
        },
      }),

    /** `missing` when they are of other keys, or the password changed since it was checked. */
    setWraps: (
      userId: string,
      given: {
        wrappedSeed?: WrappedSeed | undefined
        recoverySeed?: WrappedSeed | undefined
        verified: number | undefined
      },
    ): Promise<AccountChange> =>
      changeAccount({
        database,
        userId,
        now,
        build(stored) {
          const { verified, ...wraps } = given
          if (!isAccount(stored) || !isSignInFor(stored, verified)) return null
          const isOfOthers = Object.values(wraps).some(
            (wrap) => wrap && wrap.number !== stored.keys?.number,
          )
          const known = Object.fromEntries(Object.entries(wraps).filter(([, wrap]) => wrap))
          return isOfOthers ? null : { ...stored, ...known }
        },
      }),

    /** Replaces any earlier link; `taken` when somebody else has either number. */
    linkWhatsApp: (
      userId: string,
      link: LinkDetails,
      { isProved, mayTakeNumber }: CheckedNumber = nothingChecked,
    ): Promise<AccountChange> =>
      change(
        userId,
        (account) => keepProof(account, linkWhatsApp(account, link), isProved ? now() : undefined),
        { mayTakeNumber },
      ),

    unlinkWhatsApp: (userId: string): Promise<AccountChange> =>
      change(userId, (account) => keepProof(account, unlinkWhatsApp(account), undefined)),

    /**
     * The operator's word on whose a phone number is: the account has it, proved, and any other that
     * only said so has it no more. `taken` when another account has proved it.
     */
    provePhone: (userId: string, phone_number: string): Promise<AccountChange> =>
      change(userId, (account) => {
        const next = dropLooseNumber(account, { ...account, phone_number })
        return keepProof(account, next, now())
      }),

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
     * Removes the account and frees its names; the last one is held for its email. The id stays as a
     * departed person, marked as leaving.
     * @param asked.isWanted asked of the stored account in the same write
     * @param asked.isReported holds the name as long as reports are kept
     * @returns false when it is not wanted any more
     */
    async remove(
      userId: string,
      asked: { isWanted?: (current: AccountDocument) => boolean; isReported?: boolean } = {},
    ): Promise<boolean> {
      const { isWanted = () => true, isReported = false } = asked
      for (;;) {
        const account = await find(userId)
        const outcome = account
          ? await removeAs(account, { isWanted, holdMs: holdFor({ isReported }) })
          : 'removed'
        if (outcome !== 'again') return outcome === 'removed'
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

    /** Removes the holds whose time is over. */
    sweepHolds: (): Promise<void> => sweepHolds(database, ({ until }) => until <= now()),

    /** Gives a deleted account's name to whoever registers it next. @returns false if nobody holds it */
    async releaseName(username: string): Promise<boolean> {
      const { result } = await database.update(listHolds({ username }), (stored) => ({
        put: [...stored.keys()].map((id) => endHold(id as HeldNameDocument['_id'])),
        result: stored.size > 0,
      }))
      return result
    },

    close: lookalikes.close,
  }
}

/** What is known of a business number that a person links, and of the person. */
export interface CheckedNumber {
  /** What the provider says about it, for the profile. */
  vouched: Record<string, string>
  /** Has the provider said that the phone number is this one's? */
  isProved: boolean
  /** May the person operate a number that somebody else operated before? */
  mayTakeNumber: boolean
}

const nothingChecked: CheckedNumber = { vouched: {}, isProved: false, mayTakeNumber: false }

/** A proof is for one number: another one is only said. @param provedAt for a proof of now */
function keepProof(
  before: AccountDocument,
  next: AccountDocument,
  provedAt: number | undefined,
): AccountDocument {
  const { phoneProvedAt, ...rest } = next
  if (rest.phone_number === undefined) return rest
  const kept = rest.phone_number === before.phone_number ? before.phoneProvedAt : undefined
  const at = provedAt ?? kept
  return at === undefined ? rest : { ...rest, phoneProvedAt: at }
}

function listWaysIn(account: AccountDocument): ClaimId[] {
  return [...listClaims(account), ...listFormerClaims(account)]
}

function withoutUndefined(account: AccountDocument): AccountDocument {
  const entries = Object.entries(account).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as unknown as AccountDocument
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

/**
 * The WhatsApp account that a person claims. Unverified, so it routes and grants nothing. Only a
 * business number's id does, and the provider checks it first.
 */
interface LinkDetails {
  wa_id: string
  phone_number: string
  phone_number_id?: string | null | undefined
  whatsapp_name?: string | null | undefined
  profile?: Record<string, JsonValue> | null | undefined
}

/** The account with this link, which replaces any earlier one. */
function linkWhatsApp(account: AccountDocument, link: LinkDetails): AccountDocument {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile } = link
  return {
    ...unlinkWhatsApp(account),
    wa_id,
    phone_number,
    ...(phone_number_id ? { phone_number_id } : {}),
    ...(whatsapp_name ? { whatsapp_name } : {}),
    ...(profile ? { profile } : {}),
  }
}

function unlinkWhatsApp(account: AccountDocument): AccountDocument {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile, ...rest } = account
  return rest
}

/**
 * No part of a link stays without its phone number, and no profile without a link; people may sign
 * in by a phone number alone.
 */
function dropLooseLink(account: AccountDocument): AccountDocument {
  const { wa_id, phone_number_id, profile, ...rest } = account
  const isLink = wa_id !== undefined || phone_number_id !== undefined
  return account.phone_number && isLink ? account : rest
}

/** A business number was checked against its phone number: another number needs another check. */
function dropLooseNumber(before: AccountDocument, next: AccountDocument): AccountDocument {
  const isChecked = next.phone_number_id !== before.phone_number_id
  if (isChecked || next.phone_number === before.phone_number) return next
  const { phone_number_id, ...rest } = next
  return rest
}
