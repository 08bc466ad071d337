import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'

const framesPerSecond = 60

const burst = 240

const peopleRemembered = 20_000

export type FrameBudgets = ReturnType<typeof createFrameBudgets>

/** How many frames each person may send over all their sockets and polls. @param now epoch ms */
export function createFrameBudgets(now: () => number = Date.now) {
  const budgets = new LRUCache<string, () => boolean>(atMost(peopleRemembered))
  return {
    /** @returns false when over budget */
    takeFrame(userId: string): boolean {
      const known = budgets.get(userId)
      const takeFrame = known ?? createFrameLimit(now)
      if (!known) budgets.set(userId, takeFrame)
      return takeFrame()
    },
  }
}

/** Allows a person's typing and a queue's burst, but no flood. @param now epoch ms */
export function createFrameLimit(now: () => number = Date.now) {
  const bucket = { left: burst, filledAt: now() }
  /** @returns false when over the limit */
  return function takeFrame(): boolean {
    const at = now()
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.filledAt) / 1000) * framesPerSecond)
    bucket.filledAt = at
    bucket.left -= 1
    return bucket.left >= 0
  }
}
