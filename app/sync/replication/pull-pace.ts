/** Asked for and not yet stored. Fewer cost time: half as many documents a second at 1,000, by measurement. */
const documentsAhead = 4_000
const lookEveryMs = 20
/** Longer than a write takes. A server that begins to count anew must not hold up the pulls for good. */
const patienceMs = 10_000

export interface PullPace {
  /** An answer with documents is given to RxDB; `place` is the server's sequence at its end. */
  record(answer: { place: string; count: number }): void
  /** Resolves when the device has stored enough of what it was given. */
  untilRoom(): Promise<void>
}

/**
 * RxDB asks on and on while what it was given waits to be stored, and then stores all of that at once. After a
 * long absence this is one write of a hundred thousand messages: it fills the memory, every other write waits
 * for it, and a page that is closed in the middle of it offers all of them to the server again.
 *
 * @param readStored up to where this device has stored what the server has, as the server counts
 */
export function createPullPace(readStored: () => unknown): PullPace {
  const waiting: { place: string; count: number }[] = []

  function countWaiting(): number {
    const stored = String(readStored())
    const at = waiting.findLastIndex(({ place }) => place === stored)
    waiting.splice(0, at + 1)
    return waiting.reduce((sum, { count }) => sum + count, 0)
  }

  return {
    record(answer) {
      waiting.push(answer)
    },
    async untilRoom() {
      const until = performance.now() + patienceMs
      while (countWaiting() >= documentsAhead) {
        if (performance.now() > until) waiting.length = 0
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      }
    },
  }
}
