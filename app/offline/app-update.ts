import type { Workbox } from 'workbox-window'
import type { LiveSource } from '../ui/hooks/use-live-value.ts'

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
 * @param options.ready resolves when the page has what it needs first
 */
export function createAppUpdate(options: { url?: string; ready: Promise<unknown> }): AppUpdate {
  const { url = '/sw.js', ready } = options
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const { signal } = closing
  const { serviceWorker } = navigator
  const missing = new Set<unknown>()
  let state: 'none' | 'ready' = 'none'
  let worker: Workbox | undefined
  let hasNewVersionTakenOver = false
  let isApplying = false
  let isControlled = Boolean(serviceWorker?.controller)

  function offer() {
    state = 'ready'
    for (const listener of listeners) listener()
  }

  function check() {
    if (document.visibilityState === 'visible') worker?.update().catch(ignoreNoNetwork)
  }

  async function register() {
    await ready
    const { Workbox } = await import('workbox-window')
    if (signal.aborted) return
    worker = new Workbox(url)
    worker.addEventListener('waiting', offer)
    const registration = await worker.register()
    // Workbox hears only of what begins to install after it has registered.
    const { installing, active } = registration ?? {}
    const onChange = () => installing?.state === 'installed' && active && offer()
    installing?.addEventListener('statechange', onChange, { signal })
  }

  /** Where the network broke off while the app was fetched for the first time, nothing of it is kept. */
  async function registerAgain() {
    const isKept = (await serviceWorker.getRegistration(url)) !== undefined
    if (!isKept && !signal.aborted) await register()
  }

  function onControllerChange() {
    if (isApplying) return location.reload()
    // Another tab asked for it: somebody may be typing here. The very first version replaces none.
    if (isControlled) {
      hasNewVersionTakenOver = true
      offer()
    }
    isControlled = true
  }

  serviceWorker?.addEventListener('controllerchange', onControllerChange, { signal })

  // A part of the replaced version that this page had not loaded is gone from the cache. What goes on in the
  // background does without; only a page that has fallen for it, after a person's click, has nothing to lose.
  const onMissing = ({ payload }: VitePreloadErrorEvent) => missing.add(payload)
  window.addEventListener('vite:preloadError', onMissing, { signal })
  const onFallen = ({ error }: ErrorEvent) => {
    if (hasNewVersionTakenOver && missing.has(error)) location.reload()
  }
  window.addEventListener('error', onFallen, { signal })
  document.addEventListener('visibilitychange', check, { signal })
  const onOnline = () => void registerAgain().catch(ignoreNoNetwork)
  if (serviceWorker) window.addEventListener('online', onOnline, { signal })
  const timer = setInterval(check, checkIntervalMs)
  // Keeping the whole app asks for all of it: what this page itself asks for goes before.
  const start = () => void register().catch(ignoreNoNetwork)
  if (!serviceWorker) clearInterval(timer)
  else if (document.readyState === 'complete') start()
  else window.addEventListener('load', start, { signal })

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
