/**
 * The limit of requested but unstored documents. Fewer cost time: half as many per second at 1,000,
 * by measurement.
 */
const documentsAhead = 4_000
const lookEveryMs = 20
/**
 * Longer than a write takes. A server whose sequence restarts must not block the pulls for good.
 */
const patienceMs = 10_000

export interface PullPace {
  /** RxDB gets an answer with documents; `place` is the server's sequence at its end. */
  record(answer: { place: string; count: number }): void
  /** Resolves when the device has stored enough of the delivered documents. */
  untilRoom(): Promise<void>
}

/**
 * RxDB keeps requesting while earlier pages wait to be stored, then stores all of them together.
 * After a long absence this is one write of a hundred thousand messages: it fills the memory,
 * blocks every other write, and a page closed midway offers all of them to the server again.
 *
 * @param readStored how far this device has stored the server's changes, in the server's sequence
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
