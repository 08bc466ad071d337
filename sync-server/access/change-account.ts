import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { limits } from '../../schema/limits.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountKey,
  type ClaimDocument,
  type HeldNameDocument,
  isAccount,
  type LooksDocument,
} from './account-documents.ts'
import {
  type ClaimId,
  claimKey,
  decideClaims,
  leaveClaim,
  listClaims,
  listFormerClaims,
  listLookalikeClaims,
  looksVersion,
  type TakenField,
} from './claims.ts'

const accountsAtOnce = 100

const looksKey: LooksDocument['_id'] = 'looks'

const sweptAtOnce = 200

const heldKey = (claim: ClaimId) => `held:${claim.slice('claim:'.length)}` as const

/** The names of an account, and what looks like them. */
const listNames = (username: string): ClaimId[] => [
  claimKey('username', username),
  ...listLookalikeClaims(username),
]

export type AccountChange =
  | { kind: 'done'; account: AccountDocument }
  | { kind: 'taken'; field: TakenField }
  | { kind: 'missing' }
  /** Others, on another server, changed it under every try. */
  | { kind: 'overtaken' }

const triesMax = 8

/**
 * Writes an account together with its claims, so that no name ever has two owners. Keeps the
 * previous username as a former one.
 * @param mayTakeNumber as in `decideClaims`
 * @param build makes the next account from the stored one; null when there is nothing to change
 */
export async function changeAccount(options: {
  database: StoredDatabase<AccountsDocument>
  userId: string
  build: (stored: AccountsDocument | undefined) => AccountDocument | null
  now: () => number
  mayTakeNumber?: boolean | undefined
}): Promise<AccountChange> {
  const { database, userId, now, mayTakeNumber } = options
  const ownKey = accountKey(userId)
  const owners = new Set<string>()
  const build = (stored: AccountsDocument | undefined) => {
    const next = options.build(stored)
    return next && keepFormerNames(isAccount(stored) ? stored : undefined, next)
  }
  const tryOnce = async (): Promise<AccountChange | 'again'> => {
    const before = (await database.read([ownKey])).get(ownKey)
    const planned = build(before)
    if (!planned) return { kind: 'missing' } as const
    const wanted = listClaims(planned)
    const former = listFormerClaims(planned)
    const released = isAccount(before) ? listReleased(before, [...wanted, ...former]) : []
    const ownerKeys = [...owners].map(accountKey)
    // Whoever has the name already keeps it.
    const holds = isNamedSo(before, planned) ? [] : listHolds(planned)
    const ids = [...new Set([ownKey, ...wanted, ...former, ...released, ...ownerKeys, ...holds])]
    const { result } = await database.update<AccountChange | 'again'>(ids, (stored) => {
      const account = build(stored.get(ownKey))
      if (!account) return { result: { kind: 'missing' } }
      if (!isSame(listClaims(account), wanted) || !isSame(listFormerClaims(account), former)) {
        return { result: 'again' }
      }
      const readIds = new Set(ids)
      const provedPhone = account.phoneProvedAt === undefined ? undefined : account.phone_number
      const verdict = decideClaims({
        userId,
        wanted,
        stored,
        readIds,
        now: now(),
        mayTakeNumber,
        provedPhone,
      })
      if (verdict.kind === 'ownersNeeded') {
        for (const owner of verdict.ownerIds) owners.add(owner)
        return { result: 'again' }
      }
      if (verdict.kind === 'taken') {
        return { put: verdict.put, result: { kind: 'taken', field: verdict.field } }
      }
      if (holds.length > 0 && isHeldFrom(account, stored, now())) {
        return { result: { kind: 'taken', field: 'username' } }
      }
      const ended = holds.filter((id) => stored.has(id)).map(endHold)
      const findOwn = (id: ClaimId) => {
        const claim = stored.get(id) as ClaimDocument | undefined
        return claim?.userId === userId ? [claim] : []
      }
      const freed = released.flatMap(findOwn).map((claim) => leaveClaim(claim, now()))
      const left = former
        .flatMap(findOwn)
        .map((claim) => ({ ...claim, formerSince: claim.formerSince ?? now() }))
      return {
        put: [...verdict.put, ...freed, ...left, ...ended, account],
        result: { kind: 'done', account },
      }
    })
    return result
  }
  for (let round = 0; round < triesMax; round += 1) {
    const outcome = await tryOnce()
    if (outcome !== 'again') return outcome
  }
  return { kind: 'overtaken' }
}

function isNamedSo(before: AccountsDocument | undefined, next: AccountDocument): boolean {
  if (!isAccount(before)) return false
  return claimKey('username', before.username) === claimKey('username', next.username)
}

function listReleased(before: AccountDocument, kept: readonly ClaimId[]): ClaimId[] {
  return [...listClaims(before), ...listFormerClaims(before)].filter((id) => !kept.includes(id))
}

function isSame(some: readonly ClaimId[], others: readonly ClaimId[]): boolean {
  return some.join() === others.join()
}

/** The account that follows `before`, with the names that it no longer has as former names. */
function keepFormerNames(
  before: AccountDocument | undefined,
  next: AccountDocument,
): AccountDocument {
  if (!before) return next
  const { formerNames = [], ...rest } = next
  const current = claimKey('username', next.username)
  const kept = [before.username, ...formerNames]
    .filter((name) => claimKey('username', name) !== current)
    .slice(0, limits.formerNamesMax)
  return kept.length > 0 ? { ...rest, formerNames: kept } : rest
}

/** Which email a held name may go to; nobody reads the email itself from it. */
function sealEmail(email: string, salt: string): string {
  return createHash('sha256')
    .update(`${salt} ${claimKey('email', email)}`)
    .digest('base64url')
}

/** The ids of the documents that may hold what this account wants to be called. */
export function listHolds({ username }: Pick<AccountDocument, 'username'>) {
  return listNames(username).map(heldKey)
}

/**
 * The documents that hold a deleted account's name: under it others could be taken in who knew its
 * owner, and somebody who was reported would be back without a trace.
 */
export function holdName(account: AccountDocument, until: number): HeldNameDocument[] {
  const salt = randomBytes(12).toString('base64url')
  const email = sealEmail(account.email, salt)
  return listHolds(account).map((_id) => ({ _id, until, salt, email }))
}

/** May an account with this email have the name, as far as nobody holds it? */
function isHeldFrom(
  account: Pick<AccountDocument, 'username' | 'email'>,
  stored: ReadonlyMap<string, AccountsDocument>,
  now: number,
): boolean {
  return listHolds(account).some((id) => {
    const held = stored.get(id) as HeldNameDocument | undefined
    if (!held || held.until <= now) return false
    const [wanted, kept] = [sealEmail(account.email, held.salt), held.email].map((text) =>
      new TextEncoder().encode(text),
    )
    return !wanted || !kept || wanted.length !== kept.length || !timingSafeEqual(wanted, kept)
  })
}

/** The document that ends a hold. */
export function endHold(_id: HeldNameDocument['_id']): HeldNameDocument {
  return { _id, until: 0, salt: '', email: '', _deleted: true }
}

/** How long a deleted account's name is held, in ms. */
export function holdFor({ isReported }: { isReported: boolean }): number {
  return isReported ? limits.reportsKeptMs : limits.freedNameHeldMs
}

/** Removes what has held its name long enough. @param isOver asked of each */
export async function sweepHolds(
  database: StoredDatabase<AccountsDocument>,
  isOver: (held: HeldNameDocument) => boolean,
): Promise<void> {
  const range = idsFrom('held:')
  for (;;) {
    const page = (await database.range({ ...range, limit: sweptAtOnce })) as HeldNameDocument[]
    const over = page.filter(isOver).map(({ _id }) => _id)
    if (over.length > 0) {
      await database.update(over, (stored) => ({
        put: over.filter((id) => stored.has(id)).map(endHold),
        result: undefined,
      }))
    }
    const last = page.at(-1)
    if (!last || page.length < sweptAtOnce) return
    range.startkey = idsFrom(last._id).endkey
  }
}

/**
 * Gives older accounts their look-alike claims: once, and again when a newer version computes looks
 * differently. Of two old names that look alike one gets the claim; both stay.
 * @param now epoch ms
 */
export function createLookalikeClaims(options: {
  database: StoredDatabase<AccountsDocument>
  now: () => number
}) {
  const { database, now } = options
  const state = { completed: undefined as Promise<void> | undefined, isClosed: false }

  async function completeAll(): Promise<void> {
    const stored = (await database.read([looksKey])).get(looksKey) as LooksDocument | undefined
    if (stored?.version === looksVersion) return
    const range = idsFrom('user:')
    while (!state.isClosed) {
      const page = await database.range({ ...range, limit: accountsAtOnce })
      for (const userId of await completePage(page.filter(isAccount))) await completeOne(userId)
      const last = page.at(-1)
      if (!last || page.length < accountsAtOnce) return await recordCompleted()
      range.startkey = idsFrom(last._id).endkey
    }
  }

  /**
   * Writes the missing claims at once. @returns accounts whose look somebody else has, or that
   * changed
   */
  async function completePage(accounts: readonly AccountDocument[]): Promise<string[]> {
    const looks = new Map(accounts.map((one) => [one._id, listLookalikeClaims(one.username)]))
    const ids = [...looks.keys(), ...[...looks.values()].flat()]
    const { result } = await database.update(ids, (stored) => {
      const claims = new Map(stored as ReadonlyMap<string, ClaimDocument>)
      const put: ClaimDocument[] = []
      const left: string[] = []
      for (const { _id, userId, username } of accounts) {
        const account = stored.get(_id)
        const own = looks.get(_id) ?? []
        const missing = own.filter((id) => claims.get(id)?.userId !== userId)
        if (missing.length === 0) continue
        const isFree = missing.every((id) => !claims.has(id))
        if (!isFree || !isAccount(account) || account.username !== username) {
          left.push(userId)
          continue
        }
        for (const id of missing) {
          const claim = { _id: id, userId, claimedAt: now() }
          claims.set(id, claim)
          put.push(claim)
        }
      }
      return { put, result: left }
    })
    return result
  }

  /** Rewriting an unchanged account adds only its missing claims. */
  async function completeOne(userId: string) {
    const build = (stored: AccountsDocument | undefined) => (isAccount(stored) ? stored : null)
    await changeAccount({ database, userId, build, now })
  }

  async function recordCompleted() {
    const put = [{ _id: looksKey, version: looksVersion }]
    await database.update([looksKey], () => ({ put, result: undefined }))
  }

  return {
    /** Resolves when no account lacks its claims. After a failure the next call tries again. */
    complete(): Promise<void> {
      state.completed ??= completeAll().catch((error: unknown) => {
        state.completed = undefined
        throw error
      })
      return state.completed
    },
    /** The next start does what remains. */
    async close(): Promise<void> {
      state.isClosed = true
      await state.completed?.catch(() => undefined)
    },
  }
}
