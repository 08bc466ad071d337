import type { ConversationRow, Messenger, ReactionNews } from '../../sync/messenger-types.ts'
import { productName } from '../../ui/product.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { countUnreadMessages } from './count-unread-messages.ts'
import { findNews, type News } from './find-news.ts'
import { holdWhileVisible, runInOneTab } from './visible-tabs.ts'

const shownMax = 3
const bodyMaxLength = 200

interface NotifierOptions {
  messenger: Messenger
  /** The rows before there was anything to notify about. */
  before: readonly ConversationRow[]
  /** Does this person want notifications? Asked for each message. */
  isWanted(): boolean
  openPath(path: string): void
}

/** Shows notifications while no tab of the app is visible, and updates the app's badge. */
export function createNotifier(options: NotifierOptions): { close(): void } {
  const { isWanted, openPath } = options
  const { conversations } = options.messenger
  const shown = new Set<Notification>()
  const stopHolding = holdWhileVisible()
  let { before } = options
  let shownCount: number | undefined

  function showCount(count: number) {
    if (count !== shownCount) setBadge(count)
    shownCount = count
  }

  function onChange() {
    const now = conversations.getSnapshot()
    const news = findNews(before, now)
    before = now
    showCount(countUnreadMessages(now))
    if (news.length === 0 || !isWanted() || document.visibilityState === 'visible') return
    const name = `petrel-news-${news.map(({ message }) => message._id).join()}`
    void runInOneTab(name, () => tell(news))
  }

  function tell(news: readonly News[]) {
    if (news.length <= shownMax) return news.forEach(tellOne)
    const title = `${news.length} chats with new messages`
    show({ title, body: productName, tag: 'petrel', path: '/chat' })
  }

  function tellOne({ row, message }: News) {
    const title = row.peer?.username ?? 'New message'
    const body = describeMessage(message).slice(0, bodyMaxLength)
    show({ title, body, tag: row.peerId, path: `/chat/${row.peerId}` })
  }

  function onReaction({ message, reaction }: ReactionNews) {
    const { _id, peerId } = message
    const row = conversations.getSnapshot().find((each) => each.peerId === peerId)
    if (!row || row.isMuted || row.isArchived) return
    if (!isWanted() || document.visibilityState === 'visible') return
    const title = row.peer?.username ?? 'New reaction'
    const words = describeMessage(message).slice(0, bodyMaxLength)
    const body = `Reacted ${reaction.emoji} to: ${words}`
    // Own tag: shown beside the chat's message notification, not in its place.
    const news = { title, body, tag: `reaction-${peerId}`, path: `/chat/${peerId}` }
    void runInOneTab(`petrel-reaction-${_id}-${reaction.at}`, () => show(news))
  }

  function show(news: { title: string; body: string; tag: string; path: string }) {
    const { title, body, tag, path } = news
    // With the same tag, a newer message replaces the previous notification and alerts again.
    const options = { body, tag, renotify: true, icon: '/icons/icon-192.png', data: { path } }
    try {
      const notification = new Notification(title, options)
      shown.add(notification)
      notification.onclose = () => shown.delete(notification)
      notification.onclick = () => {
        notification.close()
        window.focus()
        openPath(path)
      }
    } catch {
      // Phones show notifications only through the service worker.
      void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(title, options))
    }
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

/** An installed app shows the number on its icon. */
function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const done = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()
  done.catch(() => {})
}
