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
  const { serviceWorker } = navigator
  const missing = new Set<unknown>()
  let state: 'none' | 'ready' = 'none'
  let registration: ServiceWorkerRegistration | undefined
  let hasNewVersionTakenOver = false
  let isApplying = false
  let wasControlled = Boolean(serviceWorker?.controller)

  function offer() {
    state = 'ready'
    for (const listener of listeners) listener()
  }

  function check() {
    if (document.visibilityState === 'visible') registration?.update().catch(ignoreNoNetwork)
  }

  async function register() {
    registration = await serviceWorker.register(url)
    const { active, waiting, installing } = registration
    if (active && waiting) offer()
    offerOnceInstalled(installing)
    const onFound = () => offerOnceInstalled(registration?.installing)
    registration.addEventListener('updatefound', onFound, { signal })
  }

  /** The very first version waits for nobody. */
  function offerOnceInstalled(worker: ServiceWorker | null | undefined) {
    const hasOlder = registration?.active
    const onChange = () => worker?.state === 'installed' && hasOlder && offer()
    worker?.addEventListener('statechange', onChange, { signal })
  }

  function onControllerChange() {
    if (isApplying) return location.reload()
    // Another tab asked for it: somebody may be typing here.
    if (wasControlled) {
      hasNewVersionTakenOver = true
      offer()
    }
    wasControlled = true
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
      const waiting = registration?.waiting
      if (hasNewVersionTakenOver || !waiting) return location.reload()
      isApplying = true
      waiting.postMessage({ type: 'SKIP_WAITING' })
    },
    close() {
      clearInterval(timer)
      closing.abort()
    },
  }
}

/** The version that is here goes on; the next check asks again. */
function ignoreNoNetwork() {}
