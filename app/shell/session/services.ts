import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createLazyApi } from '../../api/lazy-api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { sessionsOf } from '../../api/sessions-of.ts'
import { createAppUpdate } from '../../offline/app-update.ts'
import { askForPersistentStorage } from '../../offline/ask-for-persistent-storage.ts'
import { createInstallOffer } from '../../offline/install-prompt.ts'
import { createOwedErasures } from '../../sync/owed-erasures.ts'
import { createNotificationChoice } from '../notifications/notification-choice.ts'
import { limitOpening } from './limit-opening.ts'
import type { Services } from './services-context.ts'

const loadCore = () =>
  Promise.all([
    import('../../sync/messenger.ts'),
    import('../../sync/platform/browser-platform.ts'),
  ])

const untilIdle = () =>
  loadCore().then(
    ([, { readBrowserPlatform: readBrowserPowers }]) => readBrowserPowers().untilIdle(),
    () => {},
  )
/** What other apps have shared and this person has not sent. */
async function discardShared(userId: string) {
  const { createSharedItems } = await import('../../offline/shared-items.ts')
  await createSharedItems({ userId }).discardAll()
}

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
  const platform = {
    serverUrl: location.origin,
    fetch: (...call: Parameters<typeof fetch>) => fetch(...call),
  }
  const api = createLazyApi({ ...platform, sessions })
  const owed = createOwedErasures({ texts: localStorage, indexedDB })
  void owed.finishAll()
  let openUserId: string | undefined
  addEventListener('storage', ({ key, newValue }) => {
    // Another tab takes off the device what this one holds in memory too: nothing of it may be written again.
    if (newValue !== null && openUserId && owed.readNote(key) === openUserId) location.reload()
  })
  const drawn = createDeferred()
  // Whoever is signed in needs the core at once: it is fetched while the screens are.
  if (sessions.get()) loadCore().catch(drawn.resolve)
  else drawn.resolve()
  const noteSharer = async () => {
    const { recordSignedIn: noteSignedIn } = await import('../../offline/record-signed-in.ts')
    await noteSignedIn({ userId: sessions.keptUserId() })
  }
  const tellSharer = () => void noteSharer().catch(() => {})
  void drawn.promise.then(tellSharer)
  sessions.subscribe(tellSharer)

  async function open(userId: string) {
    const [{ createMessenger }, { readBrowserPlatform: readBrowserPowers }] = await loadCore()
    await owed.finish(userId)
    openUserId = userId
    void askForPersistentStorage()
    const own = sessionsOf(sessions, userId)
    const calls = createLazyApi({ ...platform, sessions: own })
    const opening = createMessenger({
      userId,
      serverUrl: location.origin,
      readToken: () => own.get()?.token,
      people: calls.users,
      calls,
      platform: readBrowserPowers(),
      onSignedOut: own.clear,
    })
    return await limitOpening(opening)
  }

  return {
    sessions,
    signIn: api.auth.login,
    register: api.auth.register,
    openMessenger: (userId) => open(userId).finally(() => void untilIdle().then(drawn.resolve)),
    signOut(messenger) {
      const { userId } = messenger
      // Noted first: neither a tab that hangs nor a crash leaves it on the device. The session ends whatever becomes of it.
      openUserId = undefined
      owed.record(userId)
      const erasing = messenger.erase()
      void discardShared(userId).catch(() => {})
      api.auth.logout(userId).catch(() => {})
      sessionsOf(sessions, userId).clear()
      erasing.then(() => owed.finish(userId)).catch(() => {})
    },
    own: api.own,
    findByPhone: api.users.findByPhone,
    whatsApp: api.whatsApp,
    searchMessages: api.messages.search,
    notifications: createNotificationChoice(),
    update: createAppUpdate({ ready: drawn.promise }),
    installOffer: createInstallOffer(),
  }
}
