import * as z from 'zod/mini'
import { type PushPayload, type PushRead, pushPayload, pushRead } from '../../../schema/api/push.ts'
import { epochHeader, wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import { isIncoming, type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { createInbox, type Inbox, type InboxDocument } from '../../database/storage/inbox.ts'
import { productName } from '../../ui/product.ts'
import { messageActions, type WorkerNotificationOptions } from '../notification-actions.ts'
import {
  type ChatStates,
  changeUnread,
  type PushedNews,
  readChatStates,
  updateUnread,
} from './chat-states.ts'
import {
  type Described,
  describeNotification,
  type NotificationData,
} from './describe-notification.ts'
import { readSignedIn, type WorkerSignIn } from './send-commands.ts'
import type { WorkerScope } from './worker-scope.ts'
import { openWorkerSealing } from './worker-sealing.ts'

/** Browsers end a push after half a minute: the notification has to be there before. */
const fetchMs = 8_000

const chatsAskedMax = 50
/** Of a group's authors. */
const authorsAskedMax = 5

const stored = z.looseObject({ _id: z.string() })

const rows = z.object({
  rows: z.array(z.object({ doc: z.optional(z.nullable(stored)) })),
})

const confirmMs = 8_000

const chatData = z.object({ peerId: z.string(), upTo: z.optional(z.number()) })

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
  const { peerId: chatId, isGroup } = payload
  const asked = { inbox, payload: { peerId: chatId, isGroup, messageIds }, token: signIn.token }
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
    const pushed = news.messages.filter(({ _id }) => payload.messageIds.includes(_id))
    const messages = await openPushed(payload.userId, pushed, news)
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

/** With their words, where this device has the keys; without a key nothing of them shows. */
async function openPushed(userId: string, pushed: News['messages'], { documents }: News) {
  if (pushed.every(({ sealed }) => sealed === undefined)) return pushed
  const records = documents.flatMap((each) => (each.collection === 'people' ? [each.document] : []))
  return (await openWorkerSealing(userId)).open(pushed, records)
}

const callServer: typeof fetch = (...call) => fetch(...call)

/** Asks for all chats that this device shows as unread, too. */
async function fetchAll(
  scope: WorkerScope,
  asked: {
    inbox: Inbox
    payload: NamedByPush
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

/** The chats that have a notification on this device. */
async function listShownChats({
  registration,
}: Pick<WorkerScope, 'registration'>): Promise<string[]> {
  return (await registration.getNotifications()).flatMap(({ data }) => {
    const read = chatData.safeParse(data)
    return read.success ? [read.data.peerId] : []
  })
}

/** Closes the notifications of chats that were read elsewhere. */
async function closeRead(
  { registration }: Pick<WorkerScope, 'registration'>,
  states: ChatStates,
): Promise<void> {
  for (const notification of await registration.getNotifications()) {
    const read = chatData.safeParse(notification.data)
    const state = read.success ? states.get(read.data.peerId) : undefined
    if (!read.success || !state) continue
    const { upTo } = read.data
    if (upTo !== undefined && upTo <= state.seenUpTo) notification.close()
  }
}

/**
 * Tells the author that the messages have arrived, once they are stored here. Everything before
 * the newest counts as arrived with it: so only if all of it was named, and is stored. Otherwise,
 * and for what is lost here, the app says it.
 */
async function confirmDelivery(options: {
  serverUrl: string
  token: string
  payload: PushPayload
  news: Pick<News, 'documents' | 'messages'>
  fetch: typeof globalThis.fetch
}): Promise<void> {
  const { serverUrl, token, payload, news } = options
  const stored = new Set(news.documents.map(({ _id }) => _id))
  const newest = news.messages.findLast((message) => isIncoming(message, payload.userId))
  const { messageIds, owedIds } = payload
  if (!owedIds || !newest || ![...messageIds, ...owedIds].every((id) => stored.has(id))) return
  await options.fetch(`${serverUrl}/api/messages/${newest._id}/status`, {
    method: 'PUT',
    signal: AbortSignal.timeout(confirmMs),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      [wireHeader]: String(wireVersion),
    },
    body: JSON.stringify({ status: 'delivered' }),
  })
}

/** The messages that a push names, and where they are. */
type NamedByPush = Pick<PushPayload, 'peerId' | 'isGroup'> & { messageIds: readonly string[] }

interface News {
  /** The pushed messages, their chat, and who wrote. */
  documents: InboxDocument[]
  /** The messages that this version can read, oldest first. */
  messages: MessageDocument[]
  /** Of all chats that were asked for. */
  conversations: ConversationDocument[]
}

/**
 * Fetches the messages that a push names, their conversation, as replication would bring them, and
 * their author. Empty when the server cannot be reached in time.
 * @param peerIds further chats, to learn whether they were read
 */
export async function fetchNews(options: {
  serverUrl: string
  token: string
  payload: NamedByPush
  peerIds?: readonly string[]
  fetch: typeof globalThis.fetch
  now: number
}): Promise<News> {
  const { serverUrl, token, payload, peerIds = [], now } = options
  const { peerId, messageIds, isGroup } = payload

  async function ask(path: string, body?: unknown): Promise<{ epoch: string; answer: unknown }> {
    const response = await options.fetch(`${serverUrl}/${path}`, {
      method: body ? 'POST' : 'GET',
      cache: 'no-store',
      signal: AbortSignal.timeout(fetchMs),
      headers: {
        authorization: `Bearer ${token}`,
        [wireHeader]: String(wireVersion),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return { epoch: response.headers.get(epochHeader) ?? '', answer: await response.json() }
  }

  /** As the inbox keeps them; none when they cannot be had. */
  async function read(collection: 'messages' | 'conversations', keys: readonly string[]) {
    if (keys.length === 0) return []
    const database = collection === 'messages' && isGroup ? `groups/${peerId}` : collection
    const path = `sync/${database}/_all_docs?include_docs=true`
    const found = await ask(path, { keys }).catch(() => undefined)
    const parsed = rows.safeParse(found?.answer)
    const documents = parsed.success ? parsed.data.rows.flatMap(({ doc }) => doc ?? []) : []
    return documents.map((document) => keep(collection, document, found?.epoch))
  }

  function keep(
    collection: InboxDocument['collection'],
    document: InboxDocument['document'],
    epoch = '',
  ): InboxDocument {
    return { collection, _id: document._id, epoch, document, at: now }
  }

  async function readPerson(userId: string) {
    const found = await ask(`api/users/${userId}`).catch(() => undefined)
    const parsed = stored.safeParse(found?.answer)
    return parsed.success ? [keep('people', parsed.data)] : []
  }

  /** In a group the messages say who wrote them; elsewhere their authors are asked for beside them. */
  async function readMessages() {
    if (!isGroup) {
      const [own, author] = await Promise.all([
        read('messages', messageIds),
        messageIds.length > 0 ? readPerson(peerId) : [],
      ])
      return { own, authors: author }
    }
    const own = await read('messages', messageIds)
    const senders = parseAll(messageDocument, own).map(({ senderId }) => senderId)
    const asked = [...new Set(senders)].slice(0, authorsAskedMax)
    return { own, authors: (await Promise.all(asked.map(readPerson))).flat() }
  }

  const chats = [...new Set([peerId, ...peerIds])].slice(0, chatsAskedMax)
  const [{ own: messages, authors }, conversations] = await Promise.all([
    readMessages(),
    read('conversations', chats),
  ])
  return {
    documents: [...messages, ...conversations.filter(({ _id }) => _id === peerId), ...authors],
    messages: parseAll(messageDocument, messages).toSorted((a, b) => a.orderedAt - b.orderedAt),
    conversations: parseAll(conversationDocument, conversations),
  }
}

function parseAll<T>(schema: z.ZodMiniType<T>, kept: readonly InboxDocument[]): T[] {
  return kept.flatMap(({ document }) => {
    const parsed = schema.safeParse(document)
    return parsed.success ? [parsed.data] : []
  })
}
