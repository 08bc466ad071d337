import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDeletionDocument,
  type AccountDocument,
  type AccountsDocument,
  accountDeletionKey,
} from './account-documents.ts'
import type { Accounts } from './accounts.ts'
import { isSignInFor } from './password-change.ts'
import type { Relations } from './relations.ts'
import type { Sessions } from './sessions.ts'

/** By then no request that began earlier, on any server, can bring anything back. */
const settledMs = 60_000

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

/**
 * Deletes accounts: frees the name and removes everything except what others received, and reports. Removes data
 * at once, and again when no pending write can have restored it.
 * @param settle waits for that person's pending writes
 * @param deleteMediaOf deletes the person's files, except those sent to others
 * @param forgetDigestsOf deletes the person's digests
 * @param forgetEpochOf deletes the person's own epoch
 * @param forgetPushesOf ends the pushes to the person's devices
 * @param forgetContactsOf deletes the person's contacts on a business channel
 * @param isReported has anybody reported them, of late?
 * @param now epoch ms
 */
export function createAccountDeletion(options: {
  database: StoredDatabase<AccountsDocument>
  storage: Storage
  accounts: Accounts
  sessions: Sessions
  relations: Relations
  settle: (userId: string) => Promise<void>
  deleteMediaOf: (userId: string) => Promise<void>
  forgetDigestsOf: (userId: string) => Promise<void>
  forgetEpochOf: (userId: string) => Promise<void>
  forgetPushesOf?: (userId: string) => Promise<void>
  forgetContactsOf?: (userId: string) => Promise<void>
  isReported?: (userId: string) => Promise<boolean>
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { database, storage, accounts, sessions, relations, onError, now = Date.now } = options
  const timers = new Set<NodeJS.Timeout>()
  const state = { finishing: Promise.resolve() }

  async function erase(userId: string) {
    await sessions.removeAll(userId)
    await options.forgetPushesOf?.(userId)
    await relations.forget(userId)
    await options.settle(userId)
    await accounts.forgetLastSeen(userId)
    await options.deleteMediaOf(userId)
    await storage.retire(nameMessagesDatabase(userId))
    await storage.retire(nameConversationsDatabase(userId))
    await options.forgetDigestsOf(userId)
    await options.forgetEpochOf(userId)
    await options.forgetContactsOf?.(userId)
  }

  function finishLater(afterMs: number) {
    const timer = setTimeout(() => {
      timers.delete(timer)
      finish().catch(onError)
    }, afterMs).unref()
    timers.add(timer)
  }

  /** Finishes deletions that an earlier run left unfinished. Call at the start. */
  function finish(): Promise<void> {
    state.finishing = state.finishing.catch(() => undefined).then(finishAll)
    return state.finishing
  }

  async function finishAll() {
    const leaving = (await database.range(idsFrom('leaving:'))) as AccountDeletionDocument[]
    let isOpen = false
    for (const { userId, leavingSince } of leaving) {
      const isSettled = now() - leavingSince >= settledMs
      const isDone = await finishOne(userId, isSettled).catch((error: unknown) => {
        onError(error)
        return false
      })
      isOpen ||= !isDone
    }
    if (isOpen) finishLater(settledMs)
  }

  /** @returns false when another pass is needed */
  async function finishOne(userId: string, isSettled: boolean): Promise<boolean> {
    await erase(userId)
    if (isSettled) await forgetMark(userId)
    return isSettled
  }

  async function forgetMark(userId: string) {
    const _id = accountDeletionKey(userId)
    await database.update([_id], () => ({
      put: [{ _id, userId, leavingSince: 0, _deleted: true as const }],
      result: undefined,
    }))
  }

  return {
    finish,
    /**
     * Resolves when nobody can see or use the account and its databases are gone.
     * @param checked.verified the account's `passwordChanges` when the password was checked; without
     * `checked` the operator wants it
     * @returns false, and nothing is deleted, when the password has changed since
     */
    async leave(userId: string, checked?: { verified: number | undefined }): Promise<boolean> {
      const isWanted = (current: AccountDocument) =>
        checked === undefined || isSignInFor(current, checked.verified)
      const isReported = (await options.isReported?.(userId)) ?? false
      if (!(await accounts.remove(userId, { isWanted, isReported }))) return false
      try {
        await erase(userId)
      } finally {
        finishLater(settledMs)
      }
      return true
    },
    /** Waits for pending work; the next start does the rest. */
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await state.finishing.catch(() => undefined)
    },
  }
}
