import type { SignedIn } from '../../schema/api/auth.ts'
import { readKeptUser } from '../../schema/user.ts'

/** `localStorage` and `sessionStorage`, or what stands for them. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface SessionStoreOptions {
  /** Survives the browser. */
  kept: KeyValueStorage
  /** Ends with the browser's session: for a sign-in that is not to be kept. */
  passing: KeyValueStorage
  /** Calls back when another tab has changed what is kept; gives a function that stops it. */
  watch?: (changed: () => void) => () => void
}

/** Who is signed in on this device. The snapshot is the same object until it changes. */
export interface SessionStore {
  get(): SignedIn | undefined
  set(session: SignedIn, options: { keepSignedIn: boolean }): void
  /** Who is signed in for all tabs; a tab can have another. */
  keptUserId(): string | undefined
  /** Replaces the user's record, where the sign-in is. */
  setUser(user: SignedIn['user']): void
  /** Forgets the sign-in that counts in this tab; never touches what the person has written. */
  clear(): void
  subscribe(listener: () => void): () => void
  close(): void
}

const tokenKey = 'token'
const userKey = 'user'

/** Keeps `token` and `user` where the specification says, and tells all tabs when they change. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const { kept, passing } = options
  /** This tab's own sign-in goes before the one that all tabs share: it stays that person, whoever else signs in. */
  const stores = [passing, kept]
  const listeners = new Set<() => void>()
  let current = read()

  function findStore(): KeyValueStorage | undefined {
    return stores.find((store) => store.getItem(tokenKey))
  }

  /** A tab that was away for a while does not know yet who has signed in since: that is not its to change. */
  function holdsCurrent(): boolean {
    return current !== undefined && findStore()?.getItem(tokenKey) === current.token
  }

  function read(): SignedIn | undefined {
    const store = findStore()
    const token = store?.getItem(tokenKey)
    const user = readKeptUser(parseJson(store?.getItem(userKey) ?? null))
    return token && user ? { token, user } : undefined
  }

  function refresh() {
    const next = read()
    if (JSON.stringify(next) === JSON.stringify(current)) return
    current = next
    for (const listener of [...listeners]) listener()
  }

  function forget(store: KeyValueStorage | undefined) {
    store?.removeItem(tokenKey)
    store?.removeItem(userKey)
  }

  const stopWatching = options.watch?.(refresh)
  return {
    get: () => current,
    keptUserId: () => (kept.getItem(tokenKey) ? parseId(kept.getItem(userKey)) : undefined),
    set({ token, user }, { keepSignedIn }) {
      forget(passing)
      // A sign-in for this tab alone takes nothing from somebody else's that all tabs share.
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
    clear() {
      if (holdsCurrent()) forget(findStore())
      refresh()
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
  const parsed = parseJson(user)
  const hasId = typeof parsed === 'object' && parsed !== null && '_id' in parsed
  return hasId && typeof parsed._id === 'string' ? parsed._id : undefined
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
