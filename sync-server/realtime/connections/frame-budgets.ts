import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import { createFrameLimit } from './frame-limit.ts'

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
