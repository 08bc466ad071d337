import type { SessionStore } from './session-store.ts'

/**
 * One person's sign-ins: another person's token never carries this person's messages, whoever signs
 * in meanwhile. `clear` and `expire` leave later sign-ins in place.
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
    clear() {
      if (get() || sessions.endedUserId() === userId) sessions.clear()
    },
    async expire() {
      if (get()) await sessions.expire()
    },
  }
}
