import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/databases/database-names.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountDeletionDocument,
  type AccountsDocument,
  accountDeletionKey,
  idsFrom,
} from './account-documents.ts'
import type { Accounts } from './accounts.ts'
import type { Relations } from './relations.ts'
import type { Sessions } from './sessions.ts'

/** A request that began before, on whichever server, is over by then and brings nothing back any more. */
const settledMs = 60_000

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

/**
 * Lets people leave: the name is free and nothing of theirs is kept, but what others have from them. What they had is
 * taken away at once, and once more when nothing that was under way can have brought it back.
 * @param settle waits for writes of that person that are under way
 * @param deleteMediaOf takes away the person's files, but for those that others were sent
 * @param forgetDigestsOf takes away what was counted for the person
 * @param forgetEpochOf takes away the person's own epoch
 * @param forgetContactsOf takes away the person's contacts on a business channel
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
  forgetContactsOf?: (userId: string) => Promise<void>
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { database, storage, accounts, sessions, relations, onError, now = Date.now } = options
  const timers = new Set<NodeJS.Timeout>()
  const state = { finishing: Promise.resolve() }

  async function erase(userId: string) {
    await sessions.removeAll(userId)
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

  /** Takes away what is left of people who left: to be called at the start. */
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

  /** @returns false when there has to be another look */
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
    /** Resolves when nobody can see or use the account any more, and its databases are gone. */
    async leave(userId: string): Promise<void> {
      await accounts.remove(userId)
      try {
        await erase(userId)
      } finally {
        finishLater(settledMs)
      }
    },
    /** Waits for what is under way; the rest is done at the next start. */
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await state.finishing.catch(() => undefined)
    },
  }
}
