import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'

const keysRemembered = 50_000

/**
 * Counts attempts by key (an account, an address) within a window that begins with the first one.
 * @param isOn when false, counts and refuses nothing
 * @param now epoch ms
 */
export function createAttemptLimit(options: {
  max: number
  windowMs: number
  isOn: boolean
  now?: () => number
}) {
  const { max, windowMs, isOn, now = Date.now } = options
  const windows = new LRUCache<string, { count: number; endsAt: number }>(atMost(keysRemembered))

  function readWindow(key: string) {
    const window = windows.get(key)
    return window && window.endsAt > now() ? window : undefined
  }

  return {
    count(key: string) {
      if (!isOn) return
      const { count, endsAt } = readWindow(key) ?? { count: 0, endsAt: now() + windowMs }
      windows.set(key, { count: count + 1, endsAt })
    },
    forget: (key: string) => void windows.delete(key),
    /** Seconds until another attempt is allowed; 0 for now. */
    secondsToWait(key: string): number {
      const window = readWindow(key)
      return window && window.count >= max ? Math.ceil((window.endsAt - now()) / 1000) : 0
    },
  }
}

export type AttemptLimit = ReturnType<typeof createAttemptLimit>
