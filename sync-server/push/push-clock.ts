/** The clock and the timers of pushes. Tests replace it. */
export interface PushClock {
  /** Epoch ms. */
  now(): number
  /** Runs something later. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void
}

const longestTimerMs = 2 ** 31 - 1

export const realPushClock: PushClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimerMs)).unref()
    return () => clearTimeout(timer)
  },
}
