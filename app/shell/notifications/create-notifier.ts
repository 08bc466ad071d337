import type { Messenger } from '../../sync/messenger.ts'
import { describeMessage } from '../../ui/describe-message.ts'
import { productName } from '../../ui/product.ts'
import { countUnreadMessages } from './count-unread-messages.ts'
import { findNews, type News } from './find-news.ts'
import { holdWhileVisible, runInOneTab } from './visible-tabs.ts'

const shownMax = 3
const bodyMaxLength = 200

interface NotifierOptions {
  messenger: Messenger
  /** Does this person want to be told? Asked for each message. */
  isWanted(): boolean
  openPath(path: string): void
}

/** Tells of messages while no tab of the app is in sight, and keeps the app's badge. */
export function createNotifier({ messenger, isWanted, openPath }: NotifierOptions): {
  close(): void
} {
  const { conversations } = messenger
  const shown = new Set<Notification>()
  const stopHolding = holdWhileVisible()
  let before = conversations.getSnapshot()
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

  function show(news: { title: string; body: string; tag: string; path: string }) {
    const { title, body, tag, path } = news
    // With the same tag a further message takes the place of the one before, and is told again.
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
      // Phones show a notification only through the service worker.
      void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(title, options))
    }
  }

  function takeAway() {
    if (document.visibilityState !== 'visible') return
    for (const notification of shown) notification.close()
    shown.clear()
  }

  /** From `notification-click.js`, where the service worker has shown it. */
  function onWorkerMessage({ data }: MessageEvent<unknown>) {
    const path = readChatPath(data)
    if (path) openPath(path)
  }

  const { serviceWorker } = navigator
  serviceWorker?.addEventListener('message', onWorkerMessage)
  const unsubscribe = conversations.subscribe(onChange)
  document.addEventListener('visibilitychange', takeAway)
  showCount(countUnreadMessages(before))
  return {
    close() {
      unsubscribe()
      stopHolding()
      serviceWorker?.removeEventListener('message', onWorkerMessage)
      document.removeEventListener('visibilitychange', takeAway)
      setBadge(0)
    },
  }
}

function readChatPath(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('path' in data)) return
  return data.type === 'open-chat' && typeof data.path === 'string' ? data.path : undefined
}

/** Where the app is installed, its icon carries the number. */
function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const done = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()
  done.catch(() => {})
}
