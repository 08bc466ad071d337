import { createLazyApi } from '../api/create-lazy-api.ts'
import { createSessionStore } from '../api/create-session-store.ts'
import { askForPersistentStorage } from '../offline/ask-for-persistent-storage.ts'
import { createAppUpdate } from '../offline/create-app-update.ts'
import { createInstallOffer } from '../offline/create-install-offer.ts'
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
  const api = createLazyApi({
    serverUrl: location.origin,
    fetch: (...call) => fetch(...call),
    sessions,
  })
  // Whoever is signed in needs the core at once: it is fetched while the screens are.
  if (sessions.get()) loadCore().catch(() => {})

  return {
    sessions,
    signIn: api.auth.login,
    register: api.auth.register,
    async openMessenger(userId) {
      const [{ createMessenger }, { readBrowserPowers }] = await loadCore()
      void askForPersistentStorage()
      return createMessenger({
        userId,
        serverUrl: location.origin,
        readToken: () => sessions.get()?.token,
        people: api.users,
        calls: api,
        powers: readBrowserPowers(),
        onSignedOut: sessions.clear,
      })
    },
    async signOut(messenger) {
      await messenger.erase()
      // Not before: a call that is under way would be told 401, and the screens would go in the middle of the erasing.
      // Without a network the session ends by itself; the device must not wait for it.
      api.auth.logout(messenger.userId).catch(() => {})
      sessions.clear()
    },
    own: api.own,
    findByPhone: api.users.findByPhone,
    searchMessages: api.messages.search,
    notifications: createNotificationChoice(),
    update: createAppUpdate(),
    installOffer: createInstallOffer(),
  }
}
