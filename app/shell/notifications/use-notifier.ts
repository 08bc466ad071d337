import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { NotificationChoice } from './notification-choice.ts'
import type { PushStatus } from './push-state.ts'

/**
 * Delay before loading the notifier: a visible page needs no notifications, so it renders first.
 */
const startAfterMs = 1_000

/** Shows notifications while the page is hidden. */
export function useNotifier(
  messenger: Messenger,
  { choice, push }: { choice: NotificationChoice; push: Omit<PushStatus, 'set'> },
): void {
  const navigate = useLatest(useNavigate())
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const openPath = (path: string) => void navigate.current(path)

    async function start() {
      stopWaiting()
      // A row that is read later is no news.
      await messenger.conversationsRead
      const before = messenger.conversations.getSnapshot()
      const { createNotifier } = await import('./notifier.ts')
      if (signal.aborted) return
      const isWanted = () => choice.getSnapshot() === 'on'
      const isPushed = () => push.getSnapshot() === 'on'
      const notifier = createNotifier({ messenger, before, isWanted, isPushed, openPath })
      signal.addEventListener('abort', notifier.close)
    }

    const stopWaiting = waitUntilUnseen(() => void start().catch(() => {}))
    // Immediately: a message from the service worker is lost while the page has no listener.
    const stopFollowing = followWorker({ openPath, takeCommands: messenger.takeCommands })
    return () => {
      stopWaiting()
      stopFollowing()
      ending.abort()
    }
  }, [messenger, choice, push, navigate])
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
 * Does what the service worker asks for: opens the chat of a clicked notification, and carries out
 * what was done in one (`app/offline/worker/push-worker.ts`).
 * @returns a function that stops it
 */
function followWorker(options: {
  openPath: (path: string) => void
  takeCommands: () => Promise<void>
}): () => void {
  const { serviceWorker } = navigator
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    const path = readChatPath(data)
    if (path) options.openPath(path)
    else if (readType(data) === 'inbox-changed') void options.takeCommands()
  }
  serviceWorker?.addEventListener('message', onMessage)
  return () => serviceWorker?.removeEventListener('message', onMessage)
}

function readChatPath(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('path' in data)) return
  return data.type === 'open-chat' && typeof data.path === 'string' ? data.path : undefined
}

function readType(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'type' in data ? data.type : undefined
}
