import type { Workbox } from 'workbox-window'
import type { LiveSource } from '../ui/hooks/use-live-value.ts'

const checkIntervalMs = 60 * 60 * 1000
/** How long a version that was chosen may take to take over before the page reloads. */
const switchMs = 10_000
/** How often one choice may reload the page. */
const reloadsMax = 3
/** The delay before the search for a chosen version is repeated, when it fails. */
const searchAgainMs = 5_000
/** How long the reloaded page still follows that choice. */
const chosenForMs = 60_000
/** In this tab's storage, across the reload: the number of reloads for this choice. */
const reloadsKey = 'update-reloads'

/** Whether a newer version of the app is ready on this device. */
export interface AppUpdate extends LiveSource<'none' | 'ready'> {
  /** Checks for a newer version now, instead of within the hour. */
  look(): void
  /**
   * Switches to the newer version, and looks for one where none is ready. That reloads the page, so
   * only a person's click may call it.
   */
  apply(): void
  close(): void
}

/**
 * Registers the service worker, which caches the whole app, and checks for a newer version hourly
 * and whenever the page becomes visible. A newer version waits for `apply`.
 * @param options.ready resolves when the page has loaded what it needs first
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
  /** The reload that a choice needed may still show the old version: the new one takes over during it. */
  let reloads = takeReloads()
  const isChosenBefore = reloads > 0
  let isApplying = isChosenBefore
  let switching: ReturnType<typeof setTimeout> | undefined
  let searching: ReturnType<typeof setTimeout> | undefined
  let isControlled = Boolean(serviceWorker?.controller)

  function offer() {
    state = 'ready'
    if (isApplying) switchOver()
    for (const listener of listeners) listener()
  }

  /**
   * An event that reaches the replaced version while it ends starts it again. Chromium then looks no more whether it is
   * idle, however often it is asked, until the next navigation (seen in tests of a busy browser; decision 60).
   */
  function switchOver() {
    worker?.messageSkipWaiting()
    clearTimeout(switching)
    switching = reloads < reloadsMax ? setTimeout(reloadForIt, switchMs) : undefined
  }

  function reloadForIt() {
    sessionStorage.setItem(reloadsKey, String(reloads + 1))
    location.reload()
  }

  function check() {
    if (document.visibilityState === 'visible') worker?.update().catch(ignoreNoNetwork)
  }

  /** A version that it finds is applied by `offer`, once the device has all of it. */
  async function applyNewest() {
    const registration = await serviceWorker.getRegistration(url)
    await registration?.update()
    // Without one, the browser's own reload is all that is left.
    if (!registration?.installing && !registration?.waiting) location.reload()
  }

  function searchNewest() {
    clearTimeout(searching)
    applyNewest().catch(() => {
      if (!signal.aborted) searching = setTimeout(searchNewest, searchAgainMs)
    })
  }

  async function register() {
    await ready
    const { Workbox } = await import('workbox-window')
    if (signal.aborted) return
    worker = new Workbox(url)
    const registration = await worker.register()
    if (!registration || signal.aborted) return
    if (registration.waiting) offer()
    follow(registration)
    registration.addEventListener('updatefound', () => follow(registration), { signal })
  }

  /**
   * Workbox follows neither a version that was being installed before it registered, nor any after
   * the first that it did not ask for, even where that one could not be stored.
   */
  function follow({ installing, active }: ServiceWorkerRegistration) {
    // The very first version replaces none.
    if (active) installing?.addEventListener('statechange', onStateChange, { signal })
  }

  function onStateChange({ target }: Event) {
    const { state } = target as ServiceWorker
    if (state === 'installed') offer()
    // Nothing holds the old version of a page that was loaded before the first worker, or past it.
    if (state === 'activated' && !serviceWorker.controller) onReplaced()
  }

  /** Without this tab's choice: the person may be typing here. */
  function onReplaced() {
    if (isApplying) return location.reload()
    hasNewVersionTakenOver = true
    offer()
  }

  /**
   * If the network fails during the first installation, the browser keeps nothing: registers again.
   */
  async function registerAgain() {
    const isKept = (await serviceWorker.getRegistration(url)) !== undefined
    if (!isKept && !signal.aborted) await register()
  }

  function onControllerChange() {
    if (isControlled || isApplying) onReplaced()
    isControlled = true
  }

  serviceWorker?.addEventListener('controllerchange', onControllerChange, { signal })

  // A chunk of the replaced version that this page had not loaded is gone from the cache.
  // Background work does without it; only a page that failed over it after a click has nothing to
  // lose.
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
  // A version that is found later waits for a choice of its own.
  const forgetChoice = setTimeout(() => {
    if (isChosenBefore && switching === undefined) isApplying = false
  }, chosenForMs)
  // Caching the whole app loads all files: the page's own requests go first.
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
    look: check,
    apply() {
      if (hasNewVersionTakenOver || !serviceWorker) return location.reload()
      isApplying = true
      reloads = 0
      clearTimeout(forgetChoice)
      if (state === 'ready') switchOver()
      else searchNewest()
    },
    close() {
      clearInterval(timer)
      clearTimeout(forgetChoice)
      clearTimeout(searching)
      clearTimeout(switching)
      closing.abort()
    },
  }
}

function takeReloads(): number {
  const reloads = Number(sessionStorage.getItem(reloadsKey)) || 0
  sessionStorage.removeItem(reloadsKey)
  return reloads
}

/** The current version continues; the next check tries again. */
function ignoreNoNetwork() {}
