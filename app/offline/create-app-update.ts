import { Workbox } from 'workbox-window'
import type { LiveSource } from '../ui/use-live-value.ts'

const checkIntervalMs = 60 * 60 * 1000

/** Whether a newer version of the app waits on this device. */
export interface AppUpdate extends LiveSource<'none' | 'ready'> {
  /** Starts the newer version. The page reloads, so only a person's own click may call this. */
  apply(): void
  close(): void
}

/**
 * Registers the service worker, which keeps the whole app on the device, and looks for a newer version
 * hourly and whenever the page comes into view. A newer version waits until it is asked for.
 */
export function createAppUpdate({ url = '/sw.js' } = {}): AppUpdate {
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const { signal } = closing
  let state: 'none' | 'ready' = 'none'
  let hasNewVersionTakenOver = false
  const worker = 'serviceWorker' in navigator ? new Workbox(url) : undefined

  function offer() {
    state = 'ready'
    for (const listener of listeners) listener()
  }

  function check() {
    if (document.visibilityState === 'visible') void worker?.update().catch(ignoreNoNetwork)
  }

  let isApplying = false
  worker?.addEventListener('waiting', offer)
  worker?.addEventListener('controlling', ({ isUpdate, isExternal }) => {
    if (!isUpdate && !isExternal) return
    if (isApplying) return location.reload()
    // Another tab asked for it: somebody may be typing here.
    hasNewVersionTakenOver = true
    offer()
  })
  // A part of the replaced version that this page had not loaded is gone from the cache.
  window.addEventListener('vite:preloadError', () => hasNewVersionTakenOver && location.reload(), {
    signal,
  })
  document.addEventListener('visibilitychange', check, { signal })
  const timer = setInterval(check, checkIntervalMs)
  void worker?.register().catch(ignoreNoNetwork)

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    apply() {
      if (hasNewVersionTakenOver) return location.reload()
      isApplying = true
      worker?.messageSkipWaiting()
    },
    close() {
      clearInterval(timer)
      closing.abort()
      worker?.removeEventListener('waiting', offer)
    },
  }
}

/** The version that is here goes on; the next check asks again. */
function ignoreNoNetwork() {}
