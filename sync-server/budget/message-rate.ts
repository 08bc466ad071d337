import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import type { ServerLink } from '../cluster/server-link.ts'
import { atMost } from '../lib/at-most.ts'
import type { Levels } from '../metrics/read-levels.ts'

const peopleRemembered = 50_000
/** After two quiet minutes a person may send that much in a burst. */
const burstMinutes = 2
const msPerMinute = 60_000
const topic = 'messages'

const spent = z.object({ userId: z.string(), count: z.number() })

export type MessageRate = ReturnType<typeof createMessageRate>

/**
 * How many new messages each person may still send: a two-minute burst, then `perMinute`. A larger
 * batch passes after quiet and is paid back by waiting, so that a big offline backlog still gets
 * through. With a link, all servers count together.
 * @param perMinute 0 for any number
 * @param now ms of a monotonic clock
 */
export function createMessageRate(options: {
  perMinute: number
  link?: ServerLink | undefined
  now?: () => number
}) {
  const { perMinute, link, now = () => performance.now() } = options
  const burst = perMinute * burstMinutes
  const buckets = new LRUCache<string, { left: number; filledAt: number }>({
    ...atMost(peopleRemembered),
  })
  const counted = { refused: 0 }
  const stopListening = link?.listen(topic, (data) => {
    const { userId, count } = spent.parse(data)
    change(userId, count)
  })

  function readLeft(userId: string): number {
    const { left, filledAt } = buckets.get(userId) ?? { left: burst, filledAt: now() }
    return Math.min(burst, left + ((now() - filledAt) / msPerMinute) * perMinute)
  }

  function change(userId: string, count: number) {
    buckets.set(userId, { left: readLeft(userId) - count, filledAt: now() })
  }

  function spend(userId: string, count: number) {
    if (perMinute === 0 || count === 0) return
    change(userId, count)
    link?.publish(topic, { userId, count })
  }

  const secondsUntil = (missing: number) => Math.max(0, Math.ceil((missing * 60) / perMinute))

  return {
    perMinute,
    burst,

    /** @returns in how many seconds `count` may be sent; 0 for now, and then they count */
    take(userId: string, count: number): number {
      if (perMinute === 0 || count === 0) return 0
      const left = readLeft(userId)
      if (count > left && left < burst) return secondsUntil(Math.min(count, burst) - left)
      spend(userId, count)
      return 0
    },

    /** Call for messages that turned out not to be new. */
    giveBack: (userId: string, count: number) => spend(userId, -count),

    recordRefused() {
      counted.refused += 1
    },

    /** The burst limit, how many are left now, and in how many seconds it is full again. */
    describe(userId: string): Record<string, string> {
      if (perMinute === 0) return {}
      const left = readLeft(userId)
      return {
        'ratelimit-limit': String(burst),
        'ratelimit-remaining': String(Math.max(0, Math.floor(left))),
        'ratelimit-reset': String(secondsUntil(burst - left)),
      }
    },

    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {},
      counters: {
        petrel_message_rate_refused_total: {
          help: 'Pushes and calls that were refused because their author had sent too much.',
          read: () => counted.refused,
        },
      },
    }),

    close: () => stopListening?.(),
  }
}
