/**
 * Runs a piece of work after every request for it, one run at a time: requests that come during a run are
 * joined into one run after it. A failed run is reported and does not stop the next.
 */
export function createRefresher(options: {
  run: () => Promise<void>
  onError: (cause: unknown) => void
  /** Waits so long before each run, for more of what comes in bursts. */
  gatherMs?: number
}) {
  const { run, onError, gatherMs } = options
  const state = { isRunning: false, isAsked: false, isClosed: false }
  let settled = Promise.resolve()

  async function work() {
    state.isRunning = true
    while (state.isAsked && !state.isClosed) {
      if (gatherMs) await new Promise((resolve) => setTimeout(resolve, gatherMs))
      if (state.isClosed) break
      state.isAsked = false
      await run().catch((cause: unknown) => {
        if (!state.isClosed) onError(cause)
      })
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
