import { realWaiting, type Waiting } from './send-limiter.ts'

/** The channel's clock and timers. Tests replace it. */
export interface ChannelClock {
  /** Epoch ms. */
  now(): number
  /** Runs something later. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void
  /** How sends wait for their turn. */
  waiting: Waiting
}

const longestTimerMs = 2 ** 31 - 1

export const realClock: ChannelClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimerMs)).unref()
    return () => clearTimeout(timer)
  },
  waiting: realWaiting,
}
