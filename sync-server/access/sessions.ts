import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { WrappedSeed } from '../../schema/encryption/account-keys.ts'
import { limits } from '../../schema/limits.ts'
import { atMost } from '../lib/at-most.ts'
import { idsFrom, withoutRev } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountsDocument,
  accountKey,
  type SessionDocument,
  sessionKey,
} from './account-documents.ts'
import { decidePasswordChange, isSignInFor, type PasswordChangeOutcome } from './password-change.ts'
import type { Caller } from './token-keeper.ts'

/** Thrown when the password changed, or the account was deleted, during a sign-in. */
export class PasswordOutdated extends Error {
  override name = 'PasswordOutdated'
}

const sessionsRemembered = 50_000
const sharedRememberedMs = 15_000
/** `lastUsedAt` is only displayed; writing it at each request would be most of all writing. */
const lastUsedEveryMs = 60 * 60 * 1000

export type Sessions = ReturnType<typeof createSessions>

/**
 * Sign-ins that can end before their token expires.
 * @param isShared other servers end sessions in the same database, so cached entries expire
 * @param onError hears that a use could not be noted
 * @param now epoch ms
 */
export function createSessions(options: {
  database: StoredDatabase<AccountsDocument>
  isShared: boolean
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { database, isShared, onError, now = Date.now } = options
  const remembered = new LRUCache<string, { expiresAt: number; usedAt: number }>({
    ...atMost(sessionsRemembered),
    ...(isShared ? { ttl: sharedRememberedMs } : {}),
  })
  /** Do not cache as valid a sign-in that ends while it is being read. */
  const ended = new LRUCache<string, true>(atMost(sessionsRemembered))
  const listeners = new Set<(ended: Caller) => void>()

  async function readAll(userId: string): Promise<SessionDocument[]> {
    return (await database.range(idsFrom(`session:${userId}:`))) as SessionDocument[]
  }

  async function list(userId: string): Promise<SessionDocument[]> {
    const accountId = accountKey(userId)
    const account = (await database.read([accountId])).get(accountId)
    const isGood = ({ expiresAt, passwordChanges }: SessionDocument) =>
      expiresAt > now() && isSignInFor(account, passwordChanges)
    return (await readAll(userId)).filter(isGood)
  }

  async function endAll(sessions: readonly SessionDocument[]): Promise<void> {
    const byId = new Map(sessions.map((session) => [session._id, session]))
    await database.update([...byId.keys()], (stored) => ({
      put: [...byId.values()]
        .filter(({ _id }) => stored.has(_id))
        .map((session) => ({ ...withoutRev(session), _deleted: true as const })),
      result: undefined,
    }))
    for (const { userId, sessionId } of sessions) handleEnded({ userId, sessionId })
  }

  async function endOthers(userId: string, keptSessionId?: string): Promise<void> {
    const others = (await readAll(userId)).filter((one) => one.sessionId !== keptSessionId)
    if (others.length > 0) await endAll(others)
  }

  /** Invalid sign-ins could not be ended: from now on check each in the database. */
  function forgetAll(error: unknown) {
    remembered.clear()
    throw error
  }

  function handleEnded(caller: Caller) {
    ended.set(caller.sessionId, true)
    remembered.delete(caller.sessionId)
    for (const listener of listeners) listener(caller)
  }

  async function recordUse(caller: Caller, usedAt: number) {
    const id = sessionKey(caller)
    await database.update([id], (stored) => {
      const session = stored.get(id) as SessionDocument | undefined
      return {
        put: session ? [{ ...session, lastUsedAt: usedAt }] : [],
        result: undefined,
      }
    })
  }

  return {
    list,

    /**
     * Begins a sign-in; removes expired ones, and beyond a hundred the longest unused.
     * @param begun.sessionId its id, where that was promised before
     * @param begun.keptMs how long it lasts
     * @param begun.passwordChanges the account's when its password was checked
     * @throws PasswordOutdated when the account's password has changed since
     */
    async start(begun: {
      userId: string
      sessionId?: string | undefined
      device: string
      keptMs: number
      passwordChanges?: number | undefined
    }): Promise<SessionDocument> {
      const { userId, device, keptMs, passwordChanges } = begun
      const sessionId = begun.sessionId ?? randomUUID()
      const startedAt = now()
      const session: SessionDocument = {
        _id: sessionKey({ userId, sessionId }),
        userId,
        sessionId,
        device: device.slice(0, 200),
        ...(passwordChanges === undefined ? {} : { passwordChanges }),
        createdAt: startedAt,
        lastUsedAt: startedAt,
        expiresAt: startedAt + keptMs,
      }
      const accountId = accountKey(userId)
      const { result: isStarted } = await database.update([session._id, accountId], (stored) => {
        const isGood = isSignInFor(stored.get(accountId), passwordChanges)
        return { put: isGood ? [session] : [], result: isGood }
      })
      if (!isStarted) throw new PasswordOutdated('The password was changed meanwhile.')
      const isOver = (one: SessionDocument) =>
        one.expiresAt <= startedAt || (one.passwordChanges ?? 0) < (passwordChanges ?? 0)
      const others = (await readAll(userId)).filter(({ _id }) => _id !== session._id)
      const unused = others
        .filter((one) => !isOver(one))
        .toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
        .slice(limits.signInsMax - 1)
      const ending = [...others.filter(isOver), ...unused]
      if (ending.length > 0) await endAll(ending)
      return session
    },

    /** Is the sign-in still valid? Answers from memory while it is in use. */
    async isOpen(caller: Caller): Promise<boolean> {
      const kept = remembered.get(caller.sessionId)
      const session = kept ?? (await readSession(caller))
      if (!session || session.expiresAt <= now() || ended.has(caller.sessionId)) return false
      if (!kept) remembered.set(caller.sessionId, session)
      const usedAt = now()
      if (usedAt - session.usedAt > lastUsedEveryMs) {
        session.usedAt = usedAt
        // On a full disk everybody may still read.
        await recordUse(caller, usedAt).catch(onError)
      }
      return !ended.has(caller.sessionId)
    },

    /** @returns false when the person has no such sign-in */
    async end(caller: Caller): Promise<boolean> {
      const session = (await list(caller.userId)).find((one) => one.sessionId === caller.sessionId)
      if (session) await endAll([session])
      return session !== undefined
    },

    /** Ends all of a person's sign-ins except the given one. */
    endOthers,

    /**
     * Sets a new password, and ends every sign-in except the caller's.
     * @param asked.verified the account's `passwordChanges` when the current password was checked
     */
    async changePassword(asked: {
      caller: Caller
      verified: number | undefined
      passwordHash: string
      /** What the new password opens, of an account that has keys. */
      wrappedSeed?: WrappedSeed | undefined
    }): Promise<PasswordChangeOutcome> {
      const { userId, sessionId } = asked.caller
      const ids = [accountKey(userId), sessionKey(asked.caller)]
      const { result } = await database.update<PasswordChangeOutcome>(ids, (stored) =>
        decidePasswordChange(stored, asked),
      )
      if (result === 'done') await endOthers(userId, sessionId).catch(forgetAll)
      return result
    },

    /** Ends and deletes all of a person's sign-ins. */
    async removeAll(userId: string): Promise<void> {
      const all = await readAll(userId)
      if (all.length > 0) await endAll(all)
    },

    /** Handles the end of a sign-in on another server. */
    handleEnded,

    /** Reads the database, bypassing the cache; ends the sign-in here too if it has ended. */
    async check(caller: Caller): Promise<void> {
      const session = await readSession(caller)
      if (!session) handleEnded(caller)
    },

    /** @returns a function that stops listening */
    onEnded(listener: (ended: Caller) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }

  async function readSession(caller: Caller) {
    const [id, accountId] = [sessionKey(caller), accountKey(caller.userId)]
    const stored = await database.read([id, accountId])
    const session = stored.get(id) as SessionDocument | undefined
    if (!session || !isSignInFor(stored.get(accountId), session.passwordChanges)) return undefined
    return { expiresAt: session.expiresAt, usedAt: session.lastUsedAt }
  }
}
