import type { LiveSource } from '../ui/hooks/use-live-value.ts'

const firstPauseMs = 500
const longestPauseMs = 8_000
/** By then a worker that was asked controls the page, or it does not do it. */
const controlMs = 3_000
/** An answer that trying again does not change: this version's part is gone. */
const goneStatuses = [404, 410]

/** Emoji are left out and said at once, as the specification has it, and tried again with the next page. */
const expendable = /\/(emoji-picker|all|module)-/

const there = new Set<string>()
/** Two imports at once that need the same file ask for it once. */
const coming = new Map<string, Promise<void>>()
const waiting = new Set<string>()
const listeners = new Set<() => void>()

/** Whether a part of the app is waiting for a network that fails. */
export const partsOnTheWay: LiveSource<boolean> = {
  getSnapshot: () => waiting.size > 0,
  subscribe(listener) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/**
 * Chromium never asks again for a module that failed once, not before the page loads again. So the files of a part
 * are fetched first, as often as it takes, while the page is a first visit's; the import then finds them in the browser's
 * cache. A page that a worker controls has them already. The build puts this before each dynamic import.
 * @param load the import, whose own address stands in its text; the build fails where it does not
 * @param files what the part imports, below the root
 */
export function untilThere(load: () => unknown, files: readonly string[] = []) {
  if (navigator.serviceWorker?.controller) return undefined
  const own = /import\([`'"]([^`'"]+)/.exec(String(load))?.[1]
  if (own && expendable.test(own)) return undefined
  const paths = files.map((file) => `/${file}`)
  const all = own ? [...paths, new URL(own, import.meta.url).pathname] : paths
  const missing = [...new Set(all)].filter((path) => !there.has(path))
  return missing.length > 0 ? Promise.all(missing.map(fetchOnce)) : undefined
}

function fetchOnce(path: string): Promise<void> {
  const fetching = coming.get(path) ?? fetchUntilThere(path).finally(() => coming.delete(path))
  coming.set(path, fetching)
  return fetching
}

async function fetchUntilThere(path: string) {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const isFirst = !waiting.has(path)
    if (await fetchPart(path, isFirst ? 'default' : 'reload')) break
    setWaiting(path, true)
    if (await letWorkerAnswer(path)) break
    await pauseOrOnline(pauseMs * (0.5 + Math.random() / 2))
  }
  there.add(path)
  setWaiting(path, false)
}

/** False where trying again helps: no answer, or one from something in between, such as the page of a Wi-Fi. */
async function fetchPart(path: string, cache: RequestCache): Promise<boolean> {
  try {
    const response = await fetch(path, { cache })
    if (goneStatuses.includes(response.status)) return true
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || !/javascript|css/.test(type)) return false
    // Only what was read whole is in the cache.
    await response.arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** A worker that was installed during this visit has the whole app, and takes over this page when asked. */
async function letWorkerAnswer(path: string): Promise<boolean> {
  const { serviceWorker } = navigator
  const active = (await serviceWorker?.getRegistration())?.active
  if (!active || !(await caches.match(path))) return false
  const controlled = new Promise((resolve) => {
    serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    setTimeout(resolve, controlMs)
  })
  active.postMessage('control-pages')
  if (!serviceWorker.controller) await controlled
  return serviceWorker.controller !== null
}

function pauseOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer)
      window.removeEventListener('online', go)
      resolve()
    }
    const timer = setTimeout(go, ms)
    window.addEventListener('online', go)
  })
}

function setWaiting(path: string, isWaiting: boolean) {
  if (isWaiting) waiting.add(path)
  else waiting.delete(path)
  for (const listener of listeners) listener()
}
