import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createLazyApi } from '../../api/lazy-api.ts'
import { createSessionStore, type SessionStore } from '../../api/session-store.ts'
import { sessionsOf } from '../../api/sessions-of.ts'
import { createAppUpdate } from '../../offline/app-update.ts'
import { askForPersistentStorage } from '../../offline/ask-for-persistent-storage.ts'
import { createInstallOffer } from '../../offline/install-prompt.ts'
import { createOwedErasures } from '../../sync/owed-erasures.ts'
import { createNotificationChoice } from '../notifications/notification-choice.ts'
import { createPushStatus } from '../notifications/push-state.ts'
import { limitOpening } from './limit-opening.ts'
import type { Services } from './services-context.ts'

/** By then a tab that hung has handled the `storage` events that waited for it. */
const heardAfterMs = 300

const loadCore = () =>
  Promise.all([
    import('../../sync/messenger.ts'),
    import('../../sync/platform/browser-platform.ts'),
  ])

const untilIdle = () =>
  loadCore().then(
    ([, { readBrowserPlatform }]) => readBrowserPlatform().untilIdle(),
    () => {},
  )
/** Discards this person's unsent items shared from other apps. */
async function discardShared(userId: string) {
  const { createSharedItems } = await import('../../offline/shared-items.ts')
  await createSharedItems({ userId }).discardAll()
}

/** The services of this browser and of the server that the page came from. */
export function createServices(): Services {
  const sessions = createSessionStore({
    kept: localStorage,
    passing: sessionStorage,
    watch(changed) {
      addEventListener('storage', changed)
      return () => removeEventListener('storage', changed)
    },
    untilHeard: () => new Promise((resolve) => setTimeout(resolve, heardAfterMs)),
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
    // Another tab is removing data that this tab holds in memory: reload, so that none is written
    // again.
    if (newValue !== null && openUserId && owed.readNote(key) === openUserId) location.reload()
  })
  const drawn = createDeferred()
  // A signed-in person needs the core immediately: it loads in parallel with the screens.
  if (sessions.get()) loadCore().catch(drawn.resolve)
  else drawn.resolve()
  const notifications = createNotificationChoice()
  const push = createPushStatus()
  const recordSharer = async () => {
    const { recordSignedIn } = await import('../../offline/record-signed-in.ts')
    const isPushed = notifications.getSnapshot() === 'on'
    const token = isPushed ? sessions.keptToken() : undefined
    await recordSignedIn({ userId: sessions.keptUserId(), token })
  }
  const tellSharer = () => void recordSharer().catch(() => {})
  void drawn.promise.then(tellSharer)
  sessions.subscribe(tellSharer)
  notifications.subscribe(tellSharer)
  const followPushes = async () => {
    const { followPushDevice } = await import('../notifications/push-device.ts')
    followPushDevice({ sessions, own: api.own, choice: notifications, status: push })
  }
  void drawn.promise.then(followPushes).catch(() => {})

  async function endSession(own: SessionStore) {
    await own.expire()
    // Another tab had signed in again: the messenger of the refused sign-in has stopped.
    if (own.get()) location.reload()
  }

  async function open(userId: string) {
    const [{ createMessenger }, { readBrowserPlatform }] = await loadCore()
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
      platform: readBrowserPlatform(),
      knownSettings: own.get()?.user,
      onSignedOut: () => void endSession(own),
    })
    return await limitOpening(opening)
  }

  return {
    sessions,
    signIn: api.auth.login,
    register: api.auth.register,
    linking: api.linking,
    openMessenger: (userId) => open(userId).finally(() => void untilIdle().then(drawn.resolve)),
    signOut(messenger) {
      const { userId } = messenger
      // Recorded first: neither a hanging tab nor a crash then leaves the data on the device. The
      // session ends in any case.
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
    notifications,
    push,
    update: createAppUpdate({ ready: drawn.promise }),
    installOffer: createInstallOffer(),
  }
}
