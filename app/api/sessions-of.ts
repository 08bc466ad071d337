import type { SessionStore } from './session-store.ts'

/**
 * The sign-ins of one person: nobody else's token ever carries what this person has written, whoever signs in
 * meanwhile. `clear` ends no sign-in that has come since.
 */
export function sessionsOf(sessions: SessionStore, userId: string): SessionStore {
  const get = () => {
    const session = sessions.get()
    return session?.user._id === userId ? session : undefined
  }
  return {
    ...sessions,
    get,
    setUser: (user) => get() && sessions.setUser(user),
    clear: () => get() && sessions.clear(),
  }
}
