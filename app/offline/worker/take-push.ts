import { type PushPayload, pushPayload } from '../../../schema/api/push.ts'
import { createInbox } from '../../database/inbox/inbox.ts'
import { productName } from '../../ui/product.ts'
import { messageActions, type WorkerNotificationOptions } from '../notification-actions.ts'
import {
  type Described,
  describeNotification,
  type NotificationData,
} from './describe-notification.ts'
import { fetchNews } from './fetch-news.ts'
import { readSignedIn } from './read-signed-in.ts'
import type { WorkerScope } from './worker-scope.ts'

/**
 * Fetches and stores what a push names, then shows the chat's notification: opening it needs no
 * network. Every push shows something, or the browser would take the permission away.
 */
export async function takePush(scope: WorkerScope, pushed: unknown): Promise<void> {
  const read = pushPayload.safeParse(pushed)
  const signIn = await readSignedIn()
  // Somebody else's, or nobody's any more: it says nothing of what it was about.
  if (!read.success || !signIn || signIn.userId !== read.data.userId)
    return await showNothing(scope)
  const payload = read.data
  const inbox = createInbox({ name: `petrel-${payload.userId}` })
  const news = await fetchNews({
    serverUrl: scope.location.origin,
    token: signIn.token,
    payload,
    fetch: (...call) => fetch(...call),
    now: Date.now(),
  })
  await inbox.keep(news.documents).catch(() => {})
  // Signed out meanwhile: the erasure may have come before these documents.
  if ((await readSignedIn())?.userId !== payload.userId) {
    await inbox.erase()
    return await showNothing(scope)
  }
  // In turn: Chromium forgets a notification that is asked for while it is being shown, and two
  // pushes of one chat would not know of each other.
  await scope.navigator.locks.request('petrel-notify', async () => {
    const [shown] = await scope.registration.getNotifications({ tag: payload.peerId })
    const earlier = shown?.data as NotificationData | undefined
    const described = describeNotification({ payload, messages: news.messages, earlier })
    await Promise.all([show(scope, payload, described), countUnread(scope, payload, described)])
  })
}

async function show(scope: WorkerScope, payload: PushPayload, described: Described) {
  const { title, body, data, isNews } = described
  const options: WorkerNotificationOptions = {
    body,
    data,
    tag: payload.peerId,
    icon: '/icons/icon-192.png',
    silent: payload.isSilent || !isNews,
    renotify: isNews,
    actions: messageActions,
  }
  await scope.registration.showNotification(title, options)
  if (await isInFront(scope)) await closeTagged(scope, payload.peerId)
}

/** The person is looking at the app, which shows the message itself. */
async function isInFront({ clients }: WorkerScope): Promise<boolean> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.some(({ visibilityState }) => visibilityState === 'visible')
}

async function closeTagged({ registration }: WorkerScope, tag: string) {
  for (const notification of await registration.getNotifications({ tag })) notification.close()
}

async function countUnread(scope: WorkerScope, payload: PushPayload, { isNews }: Described) {
  if (!isNews) return
  const inbox = createInbox({ name: `petrel-${payload.userId}` })
  const count = (await inbox.readUnread()) + payload.count
  await inbox.setUnread(count)
  await scope.navigator.setAppBadge?.(count)
}

async function showNothing({ registration }: WorkerScope) {
  const tag = 'petrel'
  await registration.showNotification(productName, {
    body: 'Open the app to see what is new.',
    tag,
    silent: true,
    icon: '/icons/icon-192.png',
    data: { path: '/chat' },
  })
}
