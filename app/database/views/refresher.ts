/** While requests never end, a run takes at most a third of the time, and the screen has the rest. */
const restFactor = 2
const [leastRestMs, longestRestMs] = [100, 300]

/**
 * Runs a piece of work after every request for it, one run at a time: requests that come during a run are
 * joined into one run after it. A failed run is reported and does not stop the next.
 */
export function createRefresher(options: {
  run: () => Promise<void>
  onError: (cause: unknown) => void
  /** Waits so long before a run, for more of what comes in bursts; longer when the last run was just now. */
  gatherMs?: number
}) {
  const { run, onError, gatherMs } = options
  const state = { isRunning: false, isAsked: false, isClosed: false, restUntil: 0 }
  let settled = Promise.resolve()

  async function work() {
    state.isRunning = true
    while (state.isAsked && !state.isClosed) {
      if (gatherMs) {
        const waitMs = Math.max(gatherMs, state.restUntil - performance.now())
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
      if (state.isClosed) break
      state.isAsked = false
      const began = performance.now()
      await run().catch((cause: unknown) => {
        if (!state.isClosed) onError(cause)
      })
      const ended = performance.now()
      const restMs = Math.max(leastRestMs, restFactor * (ended - began))
      state.restUntil = ended + Math.min(restMs, longestRestMs)
    }
    state.isRunning = false
  }

  return {
    /** Resolves when a run that began after this call is over. */
    refresh(): Promise<void> {
      state.isAsked = true
      if (!state.isRunning) settled = work()
      return settled
    },
    close() {
      state.isClosed = true
    },
  }
}
