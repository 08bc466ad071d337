import type { Page, PageEvent, Platform } from './platform.ts'

/** The platform of the current browser. */
export function readBrowserPlatform(): Platform & Required<Pick<Platform, 'untilIdle'>> {
  return {
    fetch: (input, init) => fetch(input, init),
    WebSocket,
    texts: localStorage,
    ...('locks' in navigator && { locks: navigator.locks }),
    // Absent on pages without HTTPS.
    ...(navigator.storage?.estimate && { estimate: () => navigator.storage.estimate() }),
    page: readPage(),
    untilIdle,
    now: Date.now,
    random: Math.random,
  }
}

/** How long to wait for a page that is hidden, or never idle. */
const longestIdleMs = 500

function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari lacks this callback.
    if ('requestIdleCallback' in window)
      requestIdleCallback(() => resolve(), { timeout: longestIdleMs })
    else setTimeout(resolve, longestIdleMs / 5)
  })
}

function readPage(): Page {
  return {
    isOnline: () => navigator.onLine,
    isVisible: () => document.visibilityState === 'visible',
    subscribe(listener) {
      const stop = new AbortController()
      const listen = (target: EventTarget, type: string, event: () => PageEvent) =>
        target.addEventListener(type, () => listener(event()), { signal: stop.signal })
      listen(window, 'online', () => 'online')
      listen(window, 'offline', () => 'offline')
      listen(window, 'focus', () => 'front')
      listen(window, 'pageshow', () => 'front')
      listen(document, 'visibilitychange', () =>
        document.visibilityState === 'visible' ? 'front' : 'back',
      )
      return () => stop.abort()
    },
  }
}
