import { idsFrom } from '../storage/documents/ids-from.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  type ClaimDocument,
  isAccount,
  type LooksDocument,
} from './account-documents.ts'
import { changeAccount } from './change-account.ts'
import { listLookalikeClaims } from './claims.ts'
import { looksVersion } from './name-looks.ts'

const accountsAtOnce = 100
const looksKey: LooksDocument['_id'] = 'looks'

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
