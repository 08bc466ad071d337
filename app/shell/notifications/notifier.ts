import { lineOf } from '../../../schema/api/groups.ts'
import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { isQuietTime } from '../../../schema/quiet-hours.ts'
import { nameOf } from '../../database/storage/known-peer.ts'
import {
  messageActions,
  type WorkerNotificationOptions,
} from '../../offline/notification-actions.ts'
import {
  describeNotification,
  introduce,
  type NotificationData,
} from '../../offline/worker/describe-notification.ts'
import type { ConversationRow, Messenger, ReactionNews } from '../../sync/messenger-types.ts'
import { productName } from '../../ui/product.ts'
import { describeMessage, describeNews } from '../../ui/text/describe-message.ts'
import { countUnreadMessages, listUnreadChats } from './count-unread-messages.ts'

const visibleLock = 'petrel-visible'

const electionHeldMs = 3_000

const shownMax = 3

const bodyMaxLength = 200

interface NotifierOptions {
  messenger: Messenger
  /** The rows before there was anything to notify about. */
  before: readonly ConversationRow[]
  /** Does this person want notifications? Asked for each message. */
  isWanted(): boolean
  /** Does the service worker notify, too? Then both share one notification for each chat. */
  isPushed(): boolean
  openPath(path: string): void
}

/** Shows notifications while no tab of the app is visible, and updates the app's badge. */
export function createNotifier(options: NotifierOptions): { close(): void } {
  const { isPushed, openPath, messenger } = options
  const { conversations, settings } = messenger
  const shown = new Set<Notification>()
  const stopHolding = holdWhileVisible()
  let { before } = options
  let shownCount: number | undefined
  let recorded: string | undefined

  function showCount(rows: readonly ConversationRow[]) {
    const count = countUnreadMessages(rows)
    if (count !== shownCount) setBadge(count)
    shownCount = count
    const chats = listUnreadChats(rows)
    const described = JSON.stringify(chats)
    if (described === recorded) return
    recorded = described
    void messenger.recordUnread(chats).catch(() => {})
  }

  function isWanted() {
    const { quietHours } = settings.values.getSnapshot()
    return options.isWanted() && !isQuietTime(quietHours, messenger.now())
  }

  /** The text, or less, as the person chose. */
  const preview = (words: string, otherwise: string) =>
    settings.values.getSnapshot().notificationPreview === 'shown' ? words : otherwise

  function onChange() {
    const now = conversations.getSnapshot()
    const news = findNews(before, now, options.messenger.userId)
    void closeOver(before, now).catch(() => {})
    before = now
    showCount(now)
    if (news.length === 0 || !isWanted() || document.visibilityState === 'visible') return
    const name = `petrel-news-${news.map(({ message }) => message._id).join()}`
    void runInOneTab(name, () => tell(news))
  }

  function tell(news: readonly News[]) {
    if (news.length <= shownMax) return news.forEach(tellOne)
    const title = `${news.length} chats with new messages`
    void show({ title, body: productName, tag: 'petrel', path: '/chat' })
  }

  function nameOfSender({ senderId }: MessageDocument) {
    return nameOf(messenger.users.get(senderId).getSnapshot())
  }

  function tellOne({ row, message }: News) {
    const title = row.peer ? nameOf(row.peer) : 'New message'
    const words = describeNews(message)
    // Which of the members wrote it.
    const author = row.peer?.isGroup ? nameOfSender(message) : undefined
    const said = author ? introduce(message, { author, userId: messenger.userId }) : ''
    const body = preview(`${said}${words}`.slice(0, bodyMaxLength), 'New message')
    void show({ title, body, tag: row.peerId, path: `/chat/${row.peerId}`, message, author })
  }

  function onReaction({ message, reaction }: ReactionNews) {
    const { _id, peerId } = message
    const row = conversations.getSnapshot().find((each) => each.peerId === peerId)
    if (!row || row.isMuted || row.isArchived) return
    if (!isWanted() || document.visibilityState === 'visible') return
    const title = row.peer ? nameOf(row.peer) : 'New reaction'
    const words = describeMessage(message).slice(0, bodyMaxLength)
    const reacted = `Reacted ${reaction.emoji} to`
    const body = preview(`${reacted}: ${words}`, `${reacted} your message`)
    // Own tag: shown beside the chat's message notification, not in its place.
    const news = { title, body, tag: `reaction-${peerId}`, path: `/chat/${peerId}` }
    void runInOneTab(`petrel-reaction-${_id}-${reaction.at}`, () => void show(news))
  }

  async function show({ message, author, ...news }: Shown) {
    const { title, body, tag, path } = news
    const { notificationSound, notificationPreview } = settings.values.getSnapshot()
    const silent = !notificationSound
    // With the same tag, a newer message replaces the previous notification and alerts again.
    const data = { path }
    const common = { body, tag, renotify: !silent, silent, icon: '/icons/icon-192.png', data }
    const isPreviewHidden = notificationPreview === 'hidden'
    const ofWorker = { ...common, message, author, userId: messenger.userId, isPreviewHidden }
    const worker = isPushed() ? await navigator.serviceWorker.getRegistration() : undefined
    if (worker?.active) return await showByWorker(worker, title, ofWorker)
    try {
      const notification = new Notification(title, common)
      shown.add(notification)
      notification.onclose = () => shown.delete(notification)
      notification.onclick = () => {
        notification.close()
        window.focus()
        openPath(path)
      }
    } catch {
      // Phones show notifications only through the service worker.
      const ready = await navigator.serviceWorker?.ready
      if (ready) await showByWorker(ready, title, ofWorker)
    }
  }

  /**
   * Another device, or another tab, has read these, or the message whose words are shown was
   * withdrawn: their notifications are over.
   */
  async function closeOver(
    earlier: readonly ConversationRow[],
    now: readonly ConversationRow[],
  ): Promise<void> {
    const known = new Map(earlier.map((row) => [row.peerId, row]))
    const over = now.filter((row) => isOver(known.get(row.peerId), row))
    if (over.length === 0) return
    const tags = new Set(over.map(({ peerId }) => peerId))
    const registration = await navigator.serviceWorker?.getRegistration()
    const all = [...shown, ...((await registration?.getNotifications()) ?? [])]
    for (const notification of all) if (tags.has(notification.tag)) notification.close()
  }

  async function takeAway() {
    if (document.visibilityState !== 'visible') return
    for (const notification of shown) notification.close()
    shown.clear()
    // Also those that the service worker has shown, perhaps for an earlier page of the app.
    const registration = await navigator.serviceWorker?.getRegistration()
    const ofWorker = (await registration?.getNotifications()) ?? []
    if (document.visibilityState !== 'visible') return
    for (const notification of ofWorker) notification.close()
  }
  const onVisibility = () => void takeAway().catch(() => {})

  const unsubscribe = conversations.subscribe(onChange)
  const stopReactions = options.messenger.watchReactions(onReaction)
  document.addEventListener('visibilitychange', onVisibility)
  onChange()
  onVisibility()
  return {
    close() {
      unsubscribe()
      stopReactions()
      stopHolding()
      document.removeEventListener('visibilitychange', onVisibility)
      setBadge(0)
    },
  }
}

function isOver(earlier: ConversationRow | undefined, row: ConversationRow): boolean {
  if (!earlier) return false
  const [before, now] = [earlier.lastMessage, row.lastMessage]
  const isRead = earlier.unreadCount > 0 && row.unreadCount === 0
  const isSame = before !== undefined && before._id === now?._id
  return isRead || (isSame && before.deletedAt === undefined && now?.deletedAt !== undefined)
}

interface Shown {
  title: string
  body: string
  tag: string
  path: string
  /** Where it is about a new message, which can be answered. */
  message?: MessageDocument | undefined
  /** In a group: who wrote it. */
  author?: string | undefined
}

/** An installed app shows the number on its icon. */
function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const done = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()
  done.catch(() => {})
}

interface News {
  row: ConversationRow
  message: MessageDocument
}

/**
 * The messages of a row to notify about, and none twice: of a muted or archived chat only one that
 * mentions this person.
 */
export function findNews(
  before: readonly ConversationRow[],
  now: readonly ConversationRow[],
  ownerId: string,
): News[] {
  const known = new Map(before.map((row) => [row.peerId, row]))
  return now.flatMap((row) => {
    const isQuiet = row.isMuted || row.isArchived
    const message = isQuiet ? row.mentions?.at(-1) : row.lastMessage
    if (!message || row.unreadCount === 0) return []
    const earlier = known.get(row.peerId)
    // It may have been locked when it came.
    if (isQuiet) {
      const told = earlier?.mentions?.at(-1)?.orderedAt ?? 0
      return message.orderedAt > told ? [{ row, message }] : []
    }
    // What became of a group is no message.
    if (lineOf(message)) return []
    if (!isIncoming(message, ownerId) || message.deletedAt !== undefined) return []
    // Unread count and newest message arrive separately, in either order: only the message's place
    // decides.
    return message.orderedAt > (earlier?.lastMessage?.orderedAt ?? 0) ? [{ row, message }] : []
  })
}

/**
 * Tells the other tabs that this one is visible, by a lock that a frozen or closed tab cannot hold.
 */
function holdWhileVisible(): () => void {
  const { locks } = navigator
  if (!locks) return () => {}
  let end: (() => void) | undefined

  function update() {
    if (document.visibilityState !== 'visible') {
      end?.()
      end = undefined
    } else if (!end) {
      const inSight = new Promise<void>((resolve) => {
        end = resolve
      })
      void locks.request(visibleLock, { mode: 'shared' }, () => inSight)
    }
  }

  document.addEventListener('visibilitychange', update)
  update()
  return () => {
    document.removeEventListener('visibilitychange', update)
    end?.()
  }
}

/** Runs the work in one hidden tab; in none while another tab is visible. */
async function runInOneTab(name: string, work: () => void): Promise<void> {
  const { locks } = navigator
  if (!locks) return work()
  const { held } = await locks.query()
  if (held?.some((lock) => lock.name === visibleLock)) return
  await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    work()
    // Holds the lock for a moment, for tabs that get the event later.
    await new Promise((resolve) => setTimeout(resolve, electionHeldMs))
  })
}

interface ShownByWorker extends WorkerNotificationOptions {
  tag: string
  /** Where it is about a new message, which can be answered. */
  message?: MessageDocument | undefined
  author?: string | undefined
  userId: string
  isPreviewHidden: boolean
}

/**
 * Shows a notification that the service worker owns. That of a message joins what its chat's earlier
 * one says, also one of the worker's own; a message that it says already is not told again.
 */
async function showByWorker(
  registration: ServiceWorkerRegistration,
  title: string,
  { message, author, userId, isPreviewHidden, ...options }: ShownByWorker,
): Promise<void> {
  if (!message) return await registration.showNotification(title, options)
  // In turn with the worker: Chromium forgets one that is asked for while it is being shown.
  await navigator.locks.request('petrel-notify', async () => {
    const [shown] = await registration.getNotifications({ tag: options.tag })
    const described = describeNotification({
      payload: describePayload(message, { name: title, author, userId, isPreviewHidden }),
      messages: [message],
      earlier: shown?.data as NotificationData | undefined,
    })
    if (!described.isNews) return
    const { body, data } = described
    const joined: WorkerNotificationOptions = { ...options, body, data, actions: messageActions }
    await registration.showNotification(title, joined)
  })
}

/** The message as a push would say it. */
function describePayload(
  { _id, peerId, orderedAt }: MessageDocument,
  rest: { name: string; author: string | undefined; userId: string; isPreviewHidden: boolean },
) {
  const said = { peerId, messageIds: [_id], count: 1, upTo: orderedAt }
  const isGroup = rest.author !== undefined && { isGroup: true as const }
  return { ...rest, ...said, ...isGroup, isSilent: false }
}
