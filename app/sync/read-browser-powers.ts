import type { Page, PageEvent, Powers } from './powers.ts'

/** The powers of the browser that this runs in. */
export function readBrowserPowers(): Powers {
  return {
    fetch: (input, init) => fetch(input, init),
    WebSocket,
    texts: localStorage,
    ...('locks' in navigator && { locks: navigator.locks }),
    page: readPage(),
    now: Date.now,
    random: Math.random,
  }
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
