import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { NotificationChoice } from './notification-choice.ts'

/**
 * Delay before loading the notifier: a visible page needs no notifications, so it renders first.
 */
const startAfterMs = 1_000

/** Shows notifications while the page is hidden. */
export function useNotifier(messenger: Messenger, choice: NotificationChoice): void {
  const navigate = useLatest(useNavigate())
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const openPath = (path: string) => void navigate.current(path)

    async function start() {
      stopWaiting()
      const before = messenger.conversations.getSnapshot()
      const { createNotifier } = await import('./notifier.ts')
      if (signal.aborted) return
      const isWanted = () => choice.getSnapshot() === 'on'
      const notifier = createNotifier({ messenger, before, isWanted, openPath })
      signal.addEventListener('abort', notifier.close)
    }

    const stopWaiting = waitUntilUnseen(() => void start().catch(() => {}))
    // Immediately: a message from the service worker is lost while the page has no listener.
    const stopFollowing = followWorkerClicks(openPath)
    return () => {
      stopWaiting()
      stopFollowing()
      ending.abort()
    }
  }, [messenger, choice, navigate])
}

/** Calls as soon as the page is hidden, or after a delay if it stays visible. */
function waitUntilUnseen(call: () => void): () => void {
  const onVisibility = () => document.visibilityState === 'hidden' && call()
  const timer = setTimeout(call, document.visibilityState === 'hidden' ? 0 : startAfterMs)
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisibility)
  }
}

/**
 * Opens the chat of a clicked notification that the service worker showed: `notification-click.js`
 * handles the click.
 * @returns a function that stops it
 */
function followWorkerClicks(openPath: (path: string) => void): () => void {
  const { serviceWorker } = navigator
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    const path = readChatPath(data)
    if (path) openPath(path)
  }
  serviceWorker?.addEventListener('message', onMessage)
  return () => serviceWorker?.removeEventListener('message', onMessage)
}

function readChatPath(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('path' in data)) return
  return data.type === 'open-chat' && typeof data.path === 'string' ? data.path : undefined
}
