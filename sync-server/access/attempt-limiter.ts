import * as z from 'zod/mini'
import type { ServerLink } from '../cluster/server-link.ts'
import { type AttemptLimit, createAttemptLimit } from './attempt-limit.ts'

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
