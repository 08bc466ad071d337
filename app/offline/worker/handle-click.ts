import { v7 as createId } from 'uuid'
import * as z from 'zod/mini'
import { createInbox, type InboxCommand, type UnreadChat } from '../../database/inbox/inbox.ts'
import { sendCommands, syncTag } from './send-commands.ts'
import { changeUnread } from './show-badge.ts'
import type { ClickEvent, WorkerScope } from './worker-scope.ts'

const chatData = z.object({
  path: z.string(),
  peerId: z.string(),
  userId: z.string(),
  messageIds: z.array(z.string()),
  count: z.number(),
  upTo: z.optional(z.number()),
})
type ChatData = z.infer<typeof chatData>

/** A tap opens the chat; Reply and Mark as read work without opening the app. */
export async function handleClick(scope: WorkerScope, event: ClickEvent): Promise<void> {
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
  { peerId, messageIds, upTo }: ChatData,
  { action, reply }: Pick<ClickEvent, 'action' | 'reply'>,
): InboxCommand | undefined {
  const common = { id: createId(), peerId, at: Date.now() }
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

/** Also those that were open before the worker, which controls them from their next load on. */
const openPages = { type: 'window', includeUncontrolled: true } as const

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
