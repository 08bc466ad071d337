import type { PushClock } from '../push/push-queue.ts'

/** For tests: a clock that stands still until `advance`, which runs what became due meanwhile. */
export function openPushClock(startMs = Date.now()) {
  const state = { now: startMs }
  const timers = new Set<{ at: number; run: () => void }>()
  const clock: PushClock = {
    now: () => state.now,
    after(ms, run) {
      const timer = { at: state.now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  }
  return {
    clock,
    /** When the next timer is due, ms from now; undefined without one. */
    nextInMs: () => {
      const times = [...timers].map(({ at }) => at - state.now)
      return times.length > 0 ? Math.min(...times) : undefined
    },
    advance(ms: number) {
      state.now += ms
      for (const timer of [...timers]) {
        if (timer.at > state.now) continue
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
