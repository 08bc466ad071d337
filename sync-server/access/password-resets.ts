import { createHash, randomBytes } from 'node:crypto'
import { idsFrom } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountKey,
  isAccount,
  type ResetDocument,
} from './account-documents.ts'

/** Long enough to be told on the phone; short enough to be worthless in an old mail. */
const validMs = 30 * 60 * 1000

export type PasswordResets = ReturnType<typeof createPasswordResets>

/**
 * Links that set a new password, each once, within half an hour. Only the hash of a link is stored.
 * @param now epoch ms
 */
export function createPasswordResets(options: {
  database: StoredDatabase<AccountsDocument>
  now?: () => number
}) {
  const { database, now = Date.now } = options

  /** Those of this person, and whatever is over. */
  async function removeOld(userId: string) {
    const all = (await database.range(idsFrom('reset:'))) as ResetDocument[]
    const old = all.filter((one) => one.userId === userId || one.expiresAt <= now())
    if (old.length === 0) return
    await database.update(
      old.map(({ _id }) => _id),
      (stored) => ({
        put: [...stored.values()].map((one) => ({ ...(one as ResetDocument), _deleted: true })),
        result: undefined,
      }),
    )
  }

  return {
    /** Ends earlier links of this person. @returns undefined for who has left or is disabled */
    async create(userId: string): Promise<{ token: string; expiresAt: number } | undefined> {
      const account = (await database.read([accountKey(userId)])).get(accountKey(userId))
      if (!isAccount(account) || account.disabledAt !== undefined) return undefined
      await removeOld(userId)
      const token = randomBytes(24).toString('base64url')
      const expiresAt = now() + validMs
      const { passwordChanges = 0 } = account
      await database.insert({ _id: resetKey(token), userId, expiresAt, passwordChanges })
      return { token, expiresAt }
    },

    /** Whose link it is, while it works. */
    async find(token: string): Promise<string | undefined> {
      const _id = resetKey(token)
      const reset = (await database.read([_id])).get(_id) as ResetDocument | undefined
      if (!reset || reset.expiresAt <= now()) return undefined
      const account = (await database.read([accountKey(reset.userId)])).get(
        accountKey(reset.userId),
      )
      return isOpen(account, reset) ? reset.userId : undefined
    },

    /**
     * Sets the password, which makes every sign-in and every other link invalid; end the sign-ins
     * afterwards.
     * @returns whose it is; undefined when the link is over or was used
     */
    async use(token: string, passwordHash: string): Promise<string | undefined> {
      const _id = resetKey(token)
      const found = (await database.read([_id])).get(_id) as ResetDocument | undefined
      if (!found) return undefined
      const { userId } = found
      const ids = [_id, accountKey(userId)]
      const { result } = await database.update<boolean>(ids, (stored) => {
        const reset = stored.get(_id) as ResetDocument | undefined
        const account = stored.get(accountKey(userId))
        if (!reset || reset.expiresAt <= now() || !isOpen(account, reset)) return { result: false }
        // Even where the two are no single write, the count lets nobody use it again.
        const changed = { ...account, passwordHash, passwordChanges: reset.passwordChanges + 1 }
        return { put: [changed, { ...reset, _deleted: true }], result: true }
      })
      return result ? userId : undefined
    },
  }
}

function isOpen<T extends AccountsDocument>(
  account: T | undefined,
  reset: ResetDocument,
): account is T & AccountDocument {
  return (
    isAccount(account) &&
    account.disabledAt === undefined &&
    (account.passwordChanges ?? 0) === reset.passwordChanges
  )
}

function resetKey(token: string) {
  return `reset:${createHash('sha256').update(token).digest('hex')}` as const
}
