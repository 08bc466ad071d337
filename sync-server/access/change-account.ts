import { limits } from '../../schema/limits.ts'
import { retryOvertaken } from '../lib/retry-overtaken.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountKey,
  type ClaimDocument,
  isAccount,
} from './account-documents.ts'
import {
  type ClaimedField,
  type ClaimId,
  claimKey,
  decideClaims,
  listClaims,
  listFormerClaims,
  releaseClaim,
} from './claims.ts'

export type AccountChange =
  | { kind: 'done'; account: AccountDocument }
  | { kind: 'taken'; field: ClaimedField }
  | { kind: 'missing' }

/**
 * Writes an account together with its claims, so that no name ever has two owners. Keeps the
 * previous username as a former one.
 * @param build makes the next account from the stored one; null when there is nothing to change
 */
export async function changeAccount(options: {
  database: StoredDatabase<AccountsDocument>
  userId: string
  build: (stored: AccountsDocument | undefined) => AccountDocument | null
  now: () => number
}): Promise<AccountChange> {
  const { database, userId, now } = options
  const ownKey = accountKey(userId)
  const owners = new Set<string>()
  const build = (stored: AccountsDocument | undefined) => {
    const next = options.build(stored)
    return next && keepFormerNames(isAccount(stored) ? stored : undefined, next)
  }
  return await retryOvertaken(async () => {
    const before = (await database.read([ownKey])).get(ownKey)
    const planned = build(before)
    if (!planned) return { kind: 'missing' } as const
    const wanted = listClaims(planned)
    const former = listFormerClaims(planned)
    const released = isAccount(before) ? listReleased(before, [...wanted, ...former]) : []
    const ownerKeys = [...owners].map(accountKey)
    const ids = [...new Set([ownKey, ...wanted, ...former, ...released, ...ownerKeys])]
    const { result } = await database.update<AccountChange | 'again'>(ids, (stored) => {
      const account = build(stored.get(ownKey))
      if (!account) return { result: { kind: 'missing' } }
      if (!isSame(listClaims(account), wanted) || !isSame(listFormerClaims(account), former)) {
        return { result: 'again' }
      }
      const readIds = new Set(ids)
      const verdict = decideClaims({ userId, wanted, stored, readIds, now: now() })
      if (verdict.kind === 'ownersNeeded') {
        for (const owner of verdict.ownerIds) owners.add(owner)
        return { result: 'again' }
      }
      if (verdict.kind === 'taken') {
        return { put: verdict.put, result: { kind: 'taken', field: verdict.field } }
      }
      const findOwn = (id: ClaimId) => {
        const claim = stored.get(id) as ClaimDocument | undefined
        return claim?.userId === userId ? [claim] : []
      }
      const freed = released.flatMap(findOwn).map(({ _id }) => releaseClaim(_id, userId))
      const left = former
        .flatMap(findOwn)
        .map((claim) => ({ ...claim, formerSince: claim.formerSince ?? now() }))
      return {
        put: [...verdict.put, ...freed, ...left, account],
        result: { kind: 'done', account },
      }
    })
    return result
  }, overtaken(userId))
}

function overtaken(userId: string) {
  const giveUp = () => new Error(`The account ${userId} changed under every try to write it.`)
  return { tries: 8, giveUp }
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
