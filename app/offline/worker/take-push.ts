import { type PushPayload, type PushRead, pushPayload, pushRead } from '../../../schema/api/push.ts'
import { createInbox, type Inbox } from '../../database/inbox/inbox.ts'
import { productName } from '../../ui/product.ts'
import { messageActions, type WorkerNotificationOptions } from '../notification-actions.ts'
import { type ChatStates, type PushedNews, readChatStates, updateUnread } from './chat-states.ts'
import { closeRead, listShownChats } from './close-read.ts'
import { confirmDelivery } from './confirm-delivery.ts'
import {
  type Described,
  describeNotification,
  type NotificationData,
} from './describe-notification.ts'
import { fetchNews, type News } from './fetch-news.ts'
import { readSignedIn, type WorkerSignIn } from './read-signed-in.ts'
import { changeUnread } from './show-badge.ts'
import type { WorkerScope } from './worker-scope.ts'

/**
 * Fetches and stores what a push names, then shows the chat's notification: opening it needs no
 * network. Every push of a message shows something, or the browser would take the permission away.
 * Closes what it learns to be read elsewhere.
 */
export async function takePush(scope: WorkerScope, pushed: unknown): Promise<void> {
  const signIn = await readSignedIn()
  const readPush = pushRead.safeParse(pushed)
  if (readPush.success) return await takeRead(scope, readPush.data, signIn)
  const read = pushPayload.safeParse(pushed)
  // Somebody else's, or nobody's any more: it says nothing of what it was about.
  if (!read.success || !signIn || signIn.userId !== read.data.userId)
    return await showNothing(scope)
  const payload = read.data
  const inbox = createInbox({ name: `petrel-${payload.userId}` })
  const messageIds = [...payload.messageIds, ...(payload.owedIds ?? [])]
  const asked = { inbox, payload: { peerId: payload.peerId, messageIds }, token: signIn.token }
  const news = await fetchAll(scope, asked)
  const isKept = await inbox.keep(news.documents).then(
    () => true,
    () => false,
  )
  // Signed out meanwhile: the erasure may have come before these documents.
  if ((await readSignedIn())?.userId !== payload.userId) {
    await inbox.erase()
    return await showNothing(scope)
  }
  const { peerId, readUpTo } = payload
  const states = readChatStates({ ...news, said: { peerId, readUpTo }, now: Date.now() })
  // In turn: Chromium forgets a notification that is asked for while it is being shown, and two
  // pushes of one chat would not know of each other.
  await scope.navigator.locks.request('petrel-notify', async () => {
    const [shown] = await scope.registration.getNotifications({ tag: peerId })
    const earlier = shown?.data as NotificationData | undefined
    const messages = news.messages.filter(({ _id }) => payload.messageIds.includes(_id))
    const seenUpTo = states.get(peerId)?.seenUpTo ?? 0
    const described = describeNotification({ payload, messages, earlier, seenUpTo })
    const { upTo } = described.data
    // It came late: no sound for what was read meanwhile, which is closed as in any other chat.
    const isRead = upTo !== undefined && upTo <= seenUpTo
    await show(scope, payload, isRead ? { ...described, isNews: false } : described)
    const but = isRead ? undefined : peerId
    await update(scope, inbox, { states, but, news: toPushed(payload, messages) })
  })
  if (!isKept) return
  const { token } = signIn
  const to = { serverUrl: scope.location.origin, token, fetch: callServer }
  await confirmDelivery({ ...to, payload, news }).catch(() => {})
}

/** The chat was read on another device. */
async function takeRead(scope: WorkerScope, said: PushRead, signIn: WorkerSignIn | undefined) {
  if (signIn?.userId !== said.userId) return
  const inbox = createInbox({ name: `petrel-${said.userId}` })
  const asked = { inbox, payload: { ...said, messageIds: [] }, token: signIn.token }
  const { conversations } = await fetchAll(scope, asked)
  if ((await readSignedIn())?.userId !== said.userId) return await inbox.erase()
  const states = readChatStates({ conversations, said, now: Date.now() })
  await scope.navigator.locks.request('petrel-notify', () => update(scope, inbox, { states }))
}

const callServer: typeof fetch = (...call) => fetch(...call)

/** Asks for all chats that this device shows as unread, too. */
async function fetchAll(
  scope: WorkerScope,
  asked: {
    inbox: Inbox
    payload: { peerId: string; messageIds: readonly string[] }
    token: string
  },
): Promise<News> {
  const { inbox, payload, token } = asked
  const unread = await inbox.readUnread().catch(() => [])
  const shown = await scope.navigator.locks.request('petrel-notify', () => listShownChats(scope))
  return await fetchNews({
    serverUrl: scope.location.origin,
    token,
    payload,
    peerIds: [...shown, ...unread.map(({ peerId }) => peerId)],
    fetch: callServer,
    now: Date.now(),
  })
}

/** Closes what was read, and counts what is left. */
async function update(
  scope: WorkerScope,
  inbox: Inbox,
  { states, but, news }: { states: ChatStates; but?: string | undefined; news?: PushedNews },
) {
  await closeRead(scope, new Map([...states].filter(([peerId]) => peerId !== but)))
  await changeUnread(scope, inbox, (before) => updateUnread(before, states, news))
}

function toPushed({ peerId, count, upTo }: PushPayload, messages: News['messages']): PushedNews {
  return { peerId, count, upTo, places: messages.map(({ orderedAt }) => orderedAt) }
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
