import { realWaiting, type Waiting } from './send-limiter.ts'

/** What time is for the channel, and how it waits. Tests put another one in its place. */
export interface ChannelClock {
  /** Epoch ms. */
  now(): number
  /** Runs something later. @returns what calls it off */
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
