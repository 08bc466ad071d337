import { type PushSubscriptionBody, pushWords } from '../../../schema/api/push.ts'
import type { Api } from '../../api/api.ts'
import type { SessionStore } from '../../api/session-store.ts'
import type { NotificationChoice } from './notification-choice.ts'
import type { PushState, PushStatus } from './push-state.ts'

/** What the server was last told, when, and by which person. */
const toldKey = 'push-told'
/** A server that lost its subscriptions has them again after this long. */
const tellAgainAfterMs = 24 * 60 * 60 * 1000

/**
 * Subscribes this browser to pushes while its person wants notifications and is signed in for all
 * tabs, and ends that with either. A push comes when no tab is open, so a sign-in of one tab gets
 * none.
 */
export function followPushDevice(options: {
  sessions: SessionStore
  own: Pick<Api['own'], 'readPushKey' | 'keepPush' | 'endPush'>
  choice: NotificationChoice
  status: PushStatus
  /** Resolves when the service worker can read who is signed in. */
  untilRecorded: () => Promise<unknown>
}): void {
  const { sessions, own, choice, status, untilRecorded } = options
  let updating = Promise.resolve()

  async function update() {
    const token = sessions.keptToken()
    const isWanted = choice.getSnapshot() === 'on'
    if (!isWanted || !sessions.get()) return await end()
    if (!navigator.serviceWorker) return status.set('no-worker')
    if (!('PushManager' in globalThis)) return status.set('no-service')
    if (!token || sessions.get()?.token !== token) {
      // If another sign-in holds for all tabs, its pushes are left alone.
      if (!token) await end()
      return status.set('passing')
    }
    const state = await subscribe(token).catch((): PushState => 'unreachable')
    // Before, the worker would show a push without its message: whoever reads 'on' may close the app.
    await untilRecorded()
    status.set(state)
  }

  async function subscribe(token: string): Promise<PushState> {
    const { pushManager } = await navigator.serviceWorker.ready
    const before = await pushManager.getSubscription()
    const told = localStorage.getItem(toldKey)
    if (before && told && isFresh(told, before.endpoint, token)) return 'on'
    const key = await own.readPushKey()
    const isOurs = before !== null && readServerKey(before) === key
    if (before && !isOurs) await before.unsubscribe()
    const subscription = isOurs
      ? before
      : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
    const body = subscription.toJSON() as PushSubscriptionBody
    await own.keepPush({ ...body, understands: [...pushWords] })
    localStorage.setItem(toldKey, describeTold(subscription.endpoint, token))
    return 'on'
  }

  /** Ends it in the browser: its push service then tells the server, should that not be reached. */
  async function end() {
    status.set('off')
    if (localStorage.getItem(toldKey) === null) return
    localStorage.removeItem(toldKey)
    if (sessions.get() && sessions.get()?.token === sessions.keptToken())
      await own.endPush().catch(() => {})
    const registration = await navigator.serviceWorker?.getRegistration()
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    if (sessions.get()) return
    for (const notification of (await registration?.getNotifications()) ?? []) notification.close()
  }

  function follow() {
    updating = updating.then(update).catch(() => {})
  }

  follow()
  choice.subscribe(follow)
  sessions.subscribe(follow)
  addEventListener('online', () => {
    if (status.getSnapshot() === 'unreachable') follow()
  })
}

/** A token's last characters identify the sign-in. `words` makes a newer build subscribe again. */
function describeTold(endpoint: string, token: string): string {
  const session = token.slice(-12)
  return JSON.stringify({ endpoint, session, words: pushWords.join(), at: Date.now() })
}

function isFresh(told: string, endpoint: string, token: string): boolean {
  try {
    const read = JSON.parse(told) as Record<string, unknown>
    const isSame = read.endpoint === endpoint && read.session === token.slice(-12)
    return (
      isSame && read.words === pushWords.join() && Date.now() - Number(read.at) < tellAgainAfterMs
    )
  } catch {
    return false
  }
}

/** The server's key that the subscription was made for, as the server writes it. */
function readServerKey({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
