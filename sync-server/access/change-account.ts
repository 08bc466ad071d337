import type { StoredDatabase } from '../storage/create-stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  type ClaimDocument,
  isAccount,
  nameAccount,
} from './account-documents.ts'
import { type ClaimedField, decideClaims, listClaims, releaseClaim } from './claims.ts'

export type AccountChange =
  | { kind: 'done'; account: AccountDocument }
  | { kind: 'taken'; field: ClaimedField }
  | { kind: 'missing' }

const roundsMax = 8

/**
 * Writes an account together with the claims it lives by, so that no name ever has two owners.
 * @param build makes the next account from the stored one; null when there is nothing to change (any more)
 */
export async function changeAccount(options: {
  database: StoredDatabase<AccountsDocument>
  userId: string
  build: (stored: AccountsDocument | undefined) => AccountDocument | null
  now: () => number
}): Promise<AccountChange> {
  const { database, userId, build, now } = options
  const ownKey = nameAccount(userId)
  const owners = new Set<string>()
  for (let round = 0; round < roundsMax; round += 1) {
    const before = (await database.read([ownKey])).get(ownKey)
    const planned = build(before)
    if (!planned) return { kind: 'missing' }
    const wanted = listClaims(planned)
    const released = isAccount(before)
      ? listClaims(before).filter((id) => !wanted.includes(id))
      : []
    const ids = [...new Set([ownKey, ...wanted, ...released, ...[...owners].map(nameAccount)])]
    const { result } = await database.update<AccountChange | 'again'>(ids, (stored) => {
      const account = build(stored.get(ownKey))
      if (!account) return { result: { kind: 'missing' } }
      if (listClaims(account).join() !== wanted.join()) return { result: 'again' }
      const readIds = new Set(ids)
      const verdict = decideClaims({ userId, wanted, stored, readIds, now: now() })
      if (verdict.kind === 'ownersNeeded') {
        for (const owner of verdict.ownerIds) owners.add(owner)
        return { result: 'again' }
      }
      if (verdict.kind === 'taken') {
        return { put: verdict.put, result: { kind: 'taken', field: verdict.field } }
      }
      const freed = released
        .filter((id) => (stored.get(id) as ClaimDocument | undefined)?.userId === userId)
        .map((id) => releaseClaim(id, userId))
      return { put: [...verdict.put, ...freed, account], result: { kind: 'done', account } }
    })
    if (result !== 'again') return result
  }
  throw new Error(`The account ${userId} changed under every try to write it.`)
}
