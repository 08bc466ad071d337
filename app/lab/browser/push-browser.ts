import type { BrowserContext, Page, Worker } from 'playwright-core'
import type { PushPayload, PushRead, PushSubscriptionBody } from '../../../schema/api/push.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from './wait-until.ts'

/** What a notification shows, and its chat. */
export interface ShownNotification {
  title: string
  body: string
  tag: string
}

/** Chromium without Google's push service: its pages get this subscription instead. */
export async function giveSubscription(
  context: BrowserContext,
  subscription: PushSubscriptionBody,
): Promise<void> {
  await context.addInitScript(stubPushManager, subscription)
}

/** Runs in each page before the page's scripts. */
function stubPushManager(subscription: PushSubscriptionBody) {
  if (!('PushManager' in globalThis)) return
  const held = 'stubbed-subscription'
  const describe = (key: string) => {
    const text = atob(key.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    return {
      endpoint: subscription.endpoint,
      options: { applicationServerKey: bytes.buffer },
      toJSON: () => subscription,
      async unsubscribe() {
        localStorage.removeItem(held)
        return true
      },
    } as unknown as PushSubscription
  }
  PushManager.prototype.subscribe = async (options) => {
    const key = String(options?.applicationServerKey)
    localStorage.setItem(held, key)
    return describe(key)
  }
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem(held)
    return key === null ? null : describe(key)
  }
}

/** The service worker of a person's browser, to push to and to look into. */
export async function openPushBrowser(page: Page, origin: string) {
  const context = page.context()
  const session = await context.newCDPSession(page)
  const registrations = new Map<string, string>()
  session.on('ServiceWorker.workerRegistrationUpdated', (told) => {
    for (const { scopeURL, registrationId } of told.registrations) {
      registrations.set(new URL(scopeURL).origin, registrationId)
    }
  })
  await session.send('ServiceWorker.enable')
  const worker = (): Worker => must(context.serviceWorkers()[0], 'a service worker')
  /** How many notifications the worker has shown: one that is being shown must not be asked for. */
  const countShown = () =>
    worker().evaluate(() => {
      const { registration } = globalThis as unknown as ServiceWorkerGlobal
      if (globalThis.shownCount === undefined) {
        globalThis.shownCount = 0
        const show = registration.showNotification.bind(registration)
        registration.showNotification = async (...given) => {
          await show(...given)
          globalThis.shownCount = (globalThis.shownCount ?? 0) + 1
        }
      }
      return globalThis.shownCount
    })

  async function hand(payload: PushPayload | PushRead) {
    await waitUntil('the registration is known', () => registrations.has(origin))
    const registrationId = must(registrations.get(origin), 'a registration')
    const data = JSON.stringify(payload)
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }

  return {
    /** A push that shows nothing. */
    deliverRead: (payload: PushRead) => hand(payload),
    /** As the browser hands it to the worker: decrypted. Resolves when its notification is shown. */
    async deliver(payload: PushPayload) {
      const before = await countShown()
      await hand(payload)
      await waitUntil('its notification is shown', async () => (await countShown()) > before)
    },
    listShown: (): Promise<ShownNotification[]> =>
      worker().evaluate(async () => {
        const { registration } = globalThis as unknown as ServiceWorkerGlobal
        const all = await registration.getNotifications()
        return all.map(({ title, body, tag }) => ({ title, body, tag }))
      }),
    /** Touches an action of the first notification, as the platform would. */
    act: (action: string, reply?: string) =>
      worker().evaluate(
        async (given) => {
          const { registration } = globalThis as unknown as ServiceWorkerGlobal
          const [notification] = await registration.getNotifications()
          const event = new NotificationEvent('notificationclick', { ...given, notification })
          // Only the browser's own events can wait: this one resolves when the work is done.
          const work: Promise<unknown>[] = []
          Object.defineProperty(event, 'waitUntil', {
            value: (each: Promise<unknown>) => work.push(each),
          })
          dispatchEvent(event)
          await Promise.all(work)
        },
        { action, reply },
      ),
    /** Background Sync. Rejects when the worker asks to be woken again later. */
    wake: () =>
      worker().evaluate(async () => {
        const work: Promise<unknown>[] = []
        const waitUntil = (each: Promise<unknown>) => work.push(each)
        dispatchEvent(Object.assign(new Event('sync'), { tag: 'petrel-inbox', waitUntil }))
        await Promise.all(work)
      }),
    listDatabases: () =>
      worker().evaluate(async () => (await indexedDB.databases()).map(({ name }) => name ?? '')),
  }
}

declare global {
  var shownCount: number | undefined
}

interface ServiceWorkerGlobal {
  registration: ServiceWorkerRegistration
}

declare const NotificationEvent: new (
  type: string,
  init: { notification: Notification | undefined; action: string; reply?: string | undefined },
) => Event
