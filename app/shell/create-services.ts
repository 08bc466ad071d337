import { createLazyApi } from '../api/create-lazy-api.ts'
import { createSessionStore } from '../api/create-session-store.ts'
import { sessionsOf } from '../api/sessions-of.ts'
import { askForPersistentStorage } from '../offline/ask-for-persistent-storage.ts'
import { createAppUpdate } from '../offline/create-app-update.ts'
import { createInstallOffer } from '../offline/create-install-offer.ts'
import { createOwedErasures } from '../sync/owed-erasures.ts'
import { limitOpening } from './limit-opening.ts'
import { createNotificationChoice } from './notifications/create-notification-choice.ts'
import type { Services } from './services.ts'

const loadCore = () =>
  Promise.all([import('../sync/create-messenger.ts'), import('../sync/read-browser-powers.ts')])

/** The real world around the screens: this browser, and the server that the page came from. */
export function createServices(): Services {
  const sessions = createSessionStore({
    kept: localStorage,
    passing: sessionStorage,
    watch(changed) {
      addEventListener('storage', changed)
      return () => removeEventListener('storage', changed)
    },
  })
  const powers = {
    serverUrl: location.origin,
    fetch: (...call: Parameters<typeof fetch>) => fetch(...call),
  }
  const api = createLazyApi({ ...powers, sessions })
  const owed = createOwedErasures({ texts: localStorage, indexedDB })
  void owed.finishAll()
  let openUserId: string | undefined
  addEventListener('storage', ({ key, newValue }) => {
    // Another tab takes off the device what this one holds in memory too: nothing of it may be written again.
    if (newValue !== null && openUserId && owed.readNote(key) === openUserId) location.reload()
  })
  // Whoever is signed in needs the core at once: it is fetched while the screens are.
  if (sessions.get()) loadCore().catch(() => {})

  return {
    sessions,
    signIn: api.auth.login,
    register: api.auth.register,
    async openMessenger(userId) {
      const [{ createMessenger }, { readBrowserPowers }] = await loadCore()
      await owed.finish(userId)
      openUserId = userId
      void askForPersistentStorage()
      const own = sessionsOf(sessions, userId)
      const calls = createLazyApi({ ...powers, sessions: own })
      const opening = createMessenger({
        userId,
        serverUrl: location.origin,
        readToken: () => own.get()?.token,
        people: calls.users,
        calls,
        powers: readBrowserPowers(),
        onSignedOut: own.clear,
      })
      return await limitOpening(opening)
    },
    signOut(messenger) {
      const { userId } = messenger
      // Noted first: neither a tab that hangs nor a crash leaves it on the device. The session ends whatever becomes of it.
      openUserId = undefined
      owed.note(userId)
      const erasing = messenger.erase()
      api.auth.logout(userId).catch(() => {})
      sessionsOf(sessions, userId).clear()
      erasing.then(() => owed.finish(userId)).catch(() => {})
    },
    own: api.own,
    findByPhone: api.users.findByPhone,
    whatsApp: api.whatsApp,
    searchMessages: api.messages.search,
    notifications: createNotificationChoice(),
    update: createAppUpdate(),
    installOffer: createInstallOffer(),
  }
}
