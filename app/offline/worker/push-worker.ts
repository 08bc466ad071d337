import { v7 as createId } from 'uuid'
import * as z from 'zod/mini'
import { pushWords } from '../../../schema/api/push.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { createInbox, type InboxCommand, type UnreadChat } from '../../database/storage/inbox.ts'
import { callPaths } from '../server-paths.ts'
import { changeUnread } from './chat-states.ts'
import { readSignedIn, sendCommands, syncTag } from './send-commands.ts'
import { takePush } from './take-push.ts'
import type { ClickEvent, InstallEvent, WorkerScope } from './worker-scope.ts'

const chatData = z.object({
  path: z.string(),
  peerId: z.string(),
  userId: z.string(),
  messageIds: z.array(z.string()),
  count: z.number(),
  upTo: z.optional(z.number()),
  isGroup: z.optional(z.boolean()),
})

/** Also those that were open before the worker, which controls them from their next load on. */
const openPages = { type: 'window', includeUncontrolled: true } as const

/** Part of the service worker: pushes and notifications. The build makes one classic script of it. */
const scope = globalThis as unknown as WorkerScope

// The policy of the page forbids generated code, here too.
z.config({ jitless: true })

scope.addEventListener('install', (event) => addStaticRoutes(scope, event))

scope.addEventListener('push', (event) => {
  event.waitUntil(takePush(scope, readJson(event.data)))
  // The network is there. Chromium's Background Sync refuses a worker that has no page open.
  event.waitUntil(sendWaiting())
})

scope.addEventListener('notificationclick', (event) => {
  event.waitUntil(handleClick(scope, event))
})

scope.addEventListener('sync', (event) => {
  if (event.tag === syncTag) event.waitUntil(sendOrFail())
})

// A page of the first visit that lost its network: the worker has the parts that it still lacks.
scope.addEventListener('message', (event) => {
  if (event.data === 'control-pages') event.waitUntil(scope.clients.claim())
})

scope.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(scope, event.oldSubscription))
})

async function sendWaiting(): Promise<'done' | 'later'> {
  const signIn = await readSignedIn()
  return signIn ? await sendCommands(scope, signIn) : 'done'
}

/**
 * A failure makes the browser wait before it wakes the worker again, longer each time. Registering
 * the tag again during its event makes Chromium wake the worker at once, without end.
 */
async function sendOrFail() {
  if ((await sendWaiting()) === 'later') throw new Error('The server was not reached.')
}

function readJson(data: { json(): unknown } | null): unknown {
  try {
    return data?.json()
  } catch {
    return undefined
  }
}

/**
 * Requests that need no worker go past it, in browsers that can do this: calls to the network, and the app's parts to the
 * cache that Workbox fills. A part that is missing there comes from the network, as from Workbox.
 */
function addStaticRoutes({ registration }: Pick<WorkerScope, 'registration'>, event: InstallEvent) {
  const calls = callPaths.flatMap((path) => [`/${path}`, `/${path}/*`])
  const toNetwork = calls.map((pathname) => ({
    condition: { urlPattern: { pathname } },
    source: 'network' as const,
  }))
  const toCache = {
    condition: { urlPattern: { pathname: '/assets/*' }, requestMethod: 'get' },
    source: { cacheName: `workbox-precache-v2-${registration.scope}` },
  }
  // A browser that refuses the routes asks the worker.
  event.addRoutes?.([...toNetwork, toCache]).catch(() => {})
}

/** The browser has replaced its address for pushes: the server gets the new one. */
async function renewSubscription(
  scope: WorkerScope,
  old: PushSubscription | null | undefined,
): Promise<void> {
  const signIn = await readSignedIn()
  const key = old?.options.applicationServerKey
  if (!signIn || !key) return
  const subscription = await scope.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  })
  await fetch(`${scope.location.origin}/api/users/me/push`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${signIn.token}`,
      'content-type': 'application/json',
      [wireHeader]: String(wireVersion),
    },
    body: JSON.stringify({ ...subscription.toJSON(), understands: pushWords }),
  })
}

type ChatData = z.infer<typeof chatData>

/** A tap opens the chat; Reply and Mark as read work without opening the app. */
async function handleClick(scope: WorkerScope, event: ClickEvent): Promise<void> {
  const { notification, action, reply } = event
  const read = chatData.safeParse(notification.data)
  const command = read.success ? readCommand(read.data, { action, reply }) : undefined
  if (!read.success || !command) {
    notification.close()
    return await openPath(scope, read.success ? read.data.path : readPath(notification.data))
  }
  const { userId } = read.data
  const inbox = createInbox({ name: `petrel-${userId}` })
  try {
    // Only a stored reply may take the notification away (P1).
    await inbox.addCommand(command)
  } catch {
    return await showUnkept(scope, read.data, command)
  }
  notification.close()
  await scope.navigator.locks.request('petrel-notify', () =>
    changeUnread(scope, inbox, (before) => withoutSeen(before, read.data)),
  )
  await tellPages(scope)
  const outcome = await sendCommands(scope, { userId })
  // Where the browser cannot wake the worker, the next push or the app's next start sends it.
  if (outcome === 'later') await scope.registration.sync?.register(syncTag).catch(() => {})
}

function readCommand(
  { peerId, messageIds, upTo, isGroup }: ChatData,
  { action, reply }: Pick<ClickEvent, 'action' | 'reply'>,
): InboxCommand | undefined {
  const common = { id: createId(), peerId, at: Date.now(), ...(isGroup && { isGroup }) }
  const text = reply?.trim()
  if (action === 'reply' && text) return { ...common, kind: 'reply', text }
  const messageId = messageIds.at(-1)
  if (action !== 'read' || !messageId) return undefined
  return { ...common, kind: 'read', messageId, ...(upTo !== undefined && { upTo }) }
}

/** The chat without what the notification stood for. */
function withoutSeen(before: readonly UnreadChat[], { peerId, count, upTo = 0 }: ChatData) {
  return before.flatMap((chat) => {
    if (chat.peerId !== peerId) return [chat]
    const left = chat.upTo <= upTo ? 0 : chat.count - count
    return left > 0 ? [{ ...chat, count: left }] : []
  })
}

function readPath(data: unknown): string {
  const read = z.object({ path: z.string() }).safeParse(data)
  return read.success ? read.data.path : '/chat'
}

async function openPath({ clients }: WorkerScope, path: string): Promise<void> {
  const [tab] = await clients.matchAll(openPages)
  if (!tab) return void (await clients.openWindow(path))
  tab.postMessage({ type: 'open-chat', path })
  await tab.focus()
}

/** Open pages carry out the command at once, in their own database. */
async function tellPages({ clients }: WorkerScope): Promise<void> {
  for (const tab of await clients.matchAll(openPages)) tab.postMessage({ type: 'inbox-changed' })
}

/** The disk is full: the words stay in sight. */
async function showUnkept({ registration }: WorkerScope, data: ChatData, command: InboxCommand) {
  const isReply = command.kind === 'reply'
  await registration.showNotification(isReply ? 'Your reply was not sent' : 'Not marked as read', {
    body: isReply
      ? `This device has no room to keep it: ${command.text}`
      : 'This device has no room to keep the change. Open the chat instead.',
    tag: `unkept-${data.peerId}`,
    data: { path: data.path },
  })
}
