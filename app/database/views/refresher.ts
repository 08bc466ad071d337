/**
 * Under constant requests a run takes at most a third of the time, leaving the rest to the screen.
 */
const restFactor = 2
const [leastRestMs, longestRestMs] = [100, 300]
const [firstRetryMs, longestRetryMs] = [1_000, 30_000]

/**
 * Runs a task after every request, one run at a time: merges requests that arrive during a run into
 * one run after it. Reports a failed run, and tries again later, for nobody asks twice.
 */
export function createRefresher(options: {
  run: () => Promise<void>
  onError: (cause: unknown) => void
  /** Waits this long before a run, to batch bursts; longer when the last run was just now. */
  gatherMs?: number
}) {
  const { run, onError, gatherMs } = options
  const state = {
    isRunning: false,
    isAsked: false,
    isClosed: false,
    restUntil: 0,
    retryMs: firstRetryMs,
  }
  let settled = Promise.resolve()
  let retrying: ReturnType<typeof setTimeout> | undefined

  async function work() {
    state.isRunning = true
    while (state.isAsked && !state.isClosed) {
      if (gatherMs) {
        const waitMs = Math.max(gatherMs, state.restUntil - performance.now())
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
      if (state.isClosed) break
      state.isAsked = false
      clearTimeout(retrying)
      const began = performance.now()
      try {
        await run()
        state.retryMs = firstRetryMs
      } catch (cause) {
        if (state.isClosed) break
        onError(cause)
        retrying = setTimeout(refresh, state.retryMs)
        state.retryMs = Math.min(2 * state.retryMs, longestRetryMs)
      }
      const ended = performance.now()
      const restMs = Math.max(leastRestMs, restFactor * (ended - began))
      state.restUntil = ended + Math.min(restMs, longestRestMs)
    }
    state.isRunning = false
  }

  function refresh(): Promise<void> {
    state.isAsked = true
    if (!state.isRunning) settled = work()
    return settled
  }

  return {
    /** Resolves when a run that began after this call is over. */
    refresh,
    close() {
      state.isClosed = true
      clearTimeout(retrying)
    },
  }
}
