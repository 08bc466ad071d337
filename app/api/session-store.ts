import type { SignedIn } from '../../schema/api/auth.ts'
import { parseJson } from '../../schema/helpers/json.ts'
import { readKeptUser } from '../../schema/user.ts'

/** `localStorage` and `sessionStorage`, or substitutes. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface SessionStoreOptions {
  /** Survives the browser. */
  kept: KeyValueStorage
  /** Ends with the browser's session: for a sign-in that is not kept. */
  passing: KeyValueStorage
  /** Calls back when another tab changes the stored values; returns the unsubscribe function. */
  watch?: (changed: () => void) => () => void
  /** Resolves when this tab has heard the changes of other tabs that were made until now. */
  untilHeard?: () => Promise<void>
}

/** Who is signed in on this device. The snapshot is the same object until it changes. */
export interface SessionStore {
  get(): SignedIn | undefined
  set(session: SignedIn, options: { keepSignedIn: boolean }): void
  /** The sign-in of all tabs; a tab can have its own. */
  keptUserId(): string | undefined
  /** The token of the sign-in of all tabs. */
  keptToken(): string | undefined
  /** Replaces the user's record in the sign-in. */
  setUser(user: SignedIn['user']): void
  /** The person whose sign-in the server has ended since this page was opened; nobody once they sign in. */
  endedUserId(): string | undefined
  /** Removes this tab's effective sign-in; never touches the person's messages. */
  clear(): void
  /**
   * The server has refused this tab's effective sign-in: removes it, unless another tab has replaced
   * it meanwhile. Resolves when that is decided.
   */
  expire(): Promise<void>
  subscribe(listener: () => void): () => void
  close(): void
}

const tokenKey = 'token'
const userKey = 'user'
/**
 * The user id of a sign-in that the server ended, so that other tabs know the person did not sign
 * out.
 */
const endedKey = 'ended-user'

/** Keeps `token` and `user` (decision 61, section 9) and notifies all tabs of changes. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const { kept, passing } = options
  /**
   * A tab's own sign-in takes precedence over the shared one: the tab stays that person, whoever
   * else signs in.
   */
  const stores = [passing, kept]
  const listeners = new Set<() => void>()
  let current = read()
  let endedUserId: string | undefined

  function findStore(): KeyValueStorage | undefined {
    return stores.find((store) => store.getItem(tokenKey))
  }

  /** A suspended tab does not yet know of a later sign-in, so it must not change that one. */
  function holdsCurrent(): boolean {
    return current !== undefined && findStore()?.getItem(tokenKey) === current.token
  }

  function read(): SignedIn | undefined {
    const store = findStore()
    const token = store?.getItem(tokenKey)
    const user = readKeptUser(parseJson(store?.getItem(userKey) ?? ''))
    return token && user ? { token, user } : undefined
  }

  function refresh() {
    const next = read()
    const ended = next ? undefined : findEnded(current?.user._id ?? endedUserId)
    if (JSON.stringify(next) === JSON.stringify(current) && ended === endedUserId) return
    current = next
    endedUserId = ended
    for (const listener of [...listeners]) listener()
  }

  /** Only the person this page had: a page that opens later says nothing about an end long ago. */
  function findEnded(userId: string | undefined): string | undefined {
    const isNoted = userId && stores.some((store) => store.getItem(endedKey) === userId)
    return isNoted ? userId : undefined
  }

  function forget(store: KeyValueStorage | undefined) {
    store?.removeItem(tokenKey)
    store?.removeItem(userKey)
  }

  function forgetEnd() {
    for (const store of stores) store.removeItem(endedKey)
  }

  function endCurrent() {
    if (holdsCurrent()) forget(findStore())
    refresh()
  }

  const stopWatching = options.watch?.(refresh)
  return {
    get: () => current,
    keptUserId: () => (kept.getItem(tokenKey) ? parseId(kept.getItem(userKey)) : undefined),
    keptToken: () => kept.getItem(tokenKey) ?? undefined,
    set({ token, user }, { keepSignedIn }) {
      forgetEnd()
      forget(passing)
      // A sign-in for this tab alone leaves another person's shared sign-in in place.
      if (parseId(kept.getItem(userKey)) === user._id) forget(kept)
      const store = keepSignedIn ? kept : passing
      store.setItem(tokenKey, token)
      store.setItem(userKey, JSON.stringify(user))
      refresh()
    },
    setUser(user) {
      if (holdsCurrent()) findStore()?.setItem(userKey, JSON.stringify(user))
      refresh()
    },
    endedUserId: () => endedUserId,
    clear() {
      forgetEnd()
      endCurrent()
    },
    async expire() {
      const refused = current?.token
      // A tab that hung hears the end of its old sign-in before the new one that another tab stored:
      // its copy of the storage is as old as the refused token.
      if (options.untilHeard) await options.untilHeard()
      if (!current || current.token !== refused) return
      if (holdsCurrent()) findStore()?.setItem(endedKey, current.user._id)
      endCurrent()
    },
    subscribe(listener) {
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    close() {
      stopWatching?.()
      listeners.clear()
    },
  }
}

function parseId(user: string | null): string | undefined {
  const parsed = parseJson(user ?? '')
  const hasId = typeof parsed === 'object' && parsed !== null && '_id' in parsed
  return hasId && typeof parsed._id === 'string' ? parsed._id : undefined
}
