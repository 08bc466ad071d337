/**
 * Under constant requests a run takes at most a third of the time, leaving the rest to the screen.
 */
const restFactor = 2
const [leastRestMs, longestRestMs] = [100, 300]

/**
 * Runs a task after every request, one run at a time: merges requests that arrive during a run into
 * one run after it. Reports a failed run and continues with the next.
 */
export function createRefresher(options: {
  run: () => Promise<void>
  onError: (cause: unknown) => void
  /** Waits this long before a run, to batch bursts; longer when the last run was just now. */
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
