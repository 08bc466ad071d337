import { LRUCache } from 'lru-cache'
import { limits } from '../../../schema/limits.ts'
import { atMost } from '../../lib/at-most.ts'

const pairsRemembered = 20_000
/** A short message begins and ends sooner than the next turn is due. */
const burst = 4

export type TypingEvent = 'user-typing' | 'user-stop-typing'

/**
 * Bounds what one person's typing costs another's line (P12): the same again no sooner than the app
 * says it, and a change at once while there are turns left.
 * @param now ms, of a clock that never goes back
 */
export function createTypingLimit(now: () => number = () => performance.now()) {
  /** What was last told, when, and the turns left then. */
  const told = new LRUCache<string, { event: TypingEvent; at: number; left: number }>(
    atMost(pairsRemembered),
  )
  return {
    /** @returns false when it is not to be told */
    take(said: { senderId: string; recipientId: string; event: TypingEvent }): boolean {
      const { senderId, recipientId, event } = said
      const pair = `${senderId} ${recipientId}`
      const at = now()
      const before = told.get(pair)
      const turns = before ? (at - before.at) / limits.typingEmitEveryMs : burst
      if (before?.event === event && turns < 1) return false
      const left = Math.min(burst, (before?.left ?? 0) + turns) - 1
      if (left < 0) return false
      told.set(pair, { event, at, left })
      return true
    },
  }
}
