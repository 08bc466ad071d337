import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import type { ServerLink } from '../cluster/server-link.ts'
import { atMost } from '../lib/at-most.ts'

const keysRemembered = 50_000

export type LimitAttempts = ReturnType<typeof createAttemptLimiter>

const attempt = z.object({ limit: z.string(), key: z.string(), isForgotten: z.boolean() })

/**
 * Makes limits by name. With a link all servers count together; while it is down each server counts
 * its own attempts, so that a login never waits for Redis and limits still hold.
 * @param isOn when false, refuses nothing
 */
export function createAttemptLimiter(options: { isOn: boolean; link?: ServerLink | undefined }) {
  const { isOn, link } = options
  const byName = new Map<string, AttemptLimit>()
  link?.listen('attempt', (data) => {
    const { limit, key, isForgotten } = attempt.parse(data)
    if (isForgotten) byName.get(limit)?.forget(key)
    else byName.get(limit)?.count(key)
  })

  /** @param name the same on all servers, unique for each limit */
  return (name: string, { max, windowMs }: { max: number; windowMs: number }): AttemptLimit => {
    const own = createAttemptLimit({ max, windowMs, isOn })
    if (!isOn || !link) return own
    byName.set(name, own)
    const tell = (key: string, isForgotten: boolean) =>
      link.publish('attempt', { limit: name, key, isForgotten })
    return {
      secondsToWait: own.secondsToWait,
      count(key) {
        own.count(key)
        tell(key, false)
      },
      forget(key) {
        own.forget(key)
        tell(key, true)
      },
    }
  }
}

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
