import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createLazyApi, deferCalls } from '../../api/lazy-api.ts'
import { createSessionStore, type SessionStore } from '../../api/session-store.ts'
import { sessionsOf } from '../../api/sessions-of.ts'
import { createAppUpdate } from '../../offline/app-update.ts'
import { createInstallOffer } from '../../offline/install-prompt.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { createOwedErasures } from '../../sync/owed-erasures.ts'
import { createNotificationChoice } from '../notifications/notification-choice.ts'
import { createPushStatus } from '../notifications/push-state.ts'
import { createEncryptionClaim } from './encryption-claim.ts'
import type { Services } from './services-context.ts'

/** Opening normally takes about a second. */
const openMs = 15_000

const heldWords =
  'This is taking too long. Another tab may be holding on to your messages. Close the other tabs of Petrel, then try again.'

const blockedWords =
  "Petrel couldn't use this browser's storage. Allow site data for this page, or free up some space, then try again."

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
  const access = deferCalls(async () => {
    const [{ createAccountAccess }, { deriveInWorker }] = await Promise.all([
      import('../../sync/keys/account-access.ts'),
      import('../../sync/platform/derive-in-worker.ts'),
    ])
    const readUser = () => sessions.get()?.user
    return createAccountAccess({ auth: api.auth, own: api.own, derive: deriveInWorker, readUser })
  })
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
  let recorded = Promise.resolve()
  const tellSharer = () => {
    recorded = recorded.then(recordSharer).catch(() => {})
  }
  void drawn.promise.then(tellSharer)
  sessions.subscribe(tellSharer)
  notifications.subscribe(tellSharer)
  const followPushes = async () => {
    const { followPushDevice } = await import('../notifications/push-device.ts')
    followPushDevice({
      sessions,
      own: api.own,
      choice: notifications,
      status: push,
      untilRecorded: () => recorded,
    })
  }
  void drawn.promise.then(followPushes).catch(() => {})

  async function endSession(own: SessionStore) {
    await own.expire()
    // Another tab had signed in again: the messenger of the refused sign-in has stopped.
    if (own.get()) location.reload()
  }

  /** A line that broke at the sign-in leaves keys to be made. */
  async function finishKeys(own: SessionStore) {
    const user = own.get()?.user
    if (user?.encryption === 'on' && !user.keys) await access.finishKeys()
  }

  async function open(userId: string) {
    const [{ createMessenger }, { readBrowserPlatform }] = await loadCore()
    await owed.finish(userId)
    openUserId = userId
    void askForPersistentStorage()
    const own = sessionsOf(sessions, userId)
    const calls = createLazyApi({ ...platform, sessions: own })
    const opening = createMessenger({
      hasGroups: () => sessions.get()?.user.groups === 'on',
      userId,
      serverUrl: location.origin,
      readToken: () => own.get()?.token,
      people: calls.users,
      calls,
      platform: readBrowserPlatform(),
      knownSettings: own.get()?.user,
      onSignedOut: () => void endSession(own),
    })
    opening.then(() => finishKeys(own)).catch(() => {})
    return await limitOpening(opening)
  }

  return {
    sessions,
    access,
    forgotPassword: api.auth.forgotPassword,
    encryption: createEncryptionClaim({
      texts: localStorage,
      sessions,
      describe: api.auth.describeServer,
    }),
    endSignIn: api.auth.endSignIn,
    linking: deferCalls(async () => {
      const { createKeyHandover } = await import('../../sync/keys/key-handover.ts')
      return createKeyHandover({ calls: api.linking, readUserId: () => sessions.get()?.user._id })
    }),
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
    admin: api.admin,
    whatsApp: api.whatsApp,
    previewLink: api.messages.previewLink,
    searchMessages: api.messages.search,
    notifications,
    push,
    update: createAppUpdate({ ready: drawn.promise }),
    installOffer: createInstallOffer(),
  }
}

/** @throws with words for a person when this device's messages do not open, or not in time */
export async function limitOpening(
  opening: Promise<Messenger>,
  limitMs = openMs,
): Promise<Messenger> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs)
  })
  const opened = opening.catch((cause: unknown) => {
    throw new Error(blockedWords, { cause })
  })
  const outcome = await Promise.race([opened, late]).finally(() => clearTimeout(timer))
  if (outcome !== 'late') return outcome
  opened.then((messenger) => messenger.close()).catch(() => {})
  throw new Error(heldWords)
}

/**
 * Asks the browser never to evict this device's messages when the disk is full.
 * @returns whether it promised; false also if the browser has no such API
 */
async function askForPersistentStorage(): Promise<boolean> {
  const { storage } = navigator
  if (!storage?.persist) return false
  return (await storage.persisted()) || storage.persist()
}
