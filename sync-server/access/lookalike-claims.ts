import type { StoredDatabase } from '../storage/create-stored-database.ts'
import {
  type AccountsDocument,
  idsFrom,
  isAccount,
  type LooksDocument,
} from './account-documents.ts'
import { changeAccount } from './change-account.ts'
import { looksVersion } from './name-looks.ts'

const accountsAtOnce = 200
const looksKey: LooksDocument['_id'] = 'looks'

/**
 * Gives every account from before the claims of what its name looks like: once, and again when a newer version sees
 * names otherwise. Of two old names that look alike one gets the claim, and both stay.
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
      await Promise.all(page.filter(isAccount).map(({ userId }) => completeOne(userId)))
      const last = page.at(-1)
      if (!last || page.length < accountsAtOnce) return await noteCompleted()
      range.startkey = idsFrom(last._id).endkey
    }
  }

  /** Writing an account as it is writes what its claims lack, and nothing else. */
  async function completeOne(userId: string) {
    const build = (stored: AccountsDocument | undefined) => (isAccount(stored) ? stored : null)
    await changeAccount({ database, userId, build, now })
  }

  async function noteCompleted() {
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
    /** What is not done by then is done at the next start. */
    async close(): Promise<void> {
      state.isClosed = true
      await state.completed?.catch(() => undefined)
    },
  }
}
