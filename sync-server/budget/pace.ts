export type Pace = ReturnType<typeof createPace>

/**
 * Sees whether bytes come fast enough: each one moves the end a little further away, but never further than the patience
 * from now. So a line that stands still for a while is waited for, and one that only ever trickles is not.
 * @param now ms of any clock that only goes forward
 */
export function createPace(options: {
  bytesPerSecond: number
  patienceMs: number
  now: () => number
}) {
  const { bytesPerSecond, now } = options
  const state = { patienceMs: options.patienceMs, endsAt: now() + options.patienceMs }
  return {
    note(bytes: number) {
      const moved = state.endsAt + (bytes / bytesPerSecond) * 1_000
      state.endsAt = Math.min(moved, now() + state.patienceMs)
    },
    /** It is not the other side that is waited for. */
    hold() {
      state.endsAt = now() + state.patienceMs
    },
    /** Nobody looked for so long: bytes may have come meanwhile. */
    excuse(ms: number) {
      state.endsAt += ms
    },
    /** Waits longer from now on. */
    relax(patienceMs: number) {
      state.endsAt += patienceMs - state.patienceMs
      state.patienceMs = patienceMs
    },
    /** How much of the patience is used up. */
    lateMs: () => Math.max(0, now() + state.patienceMs - state.endsAt),
    isOver: () => now() > state.endsAt,
  }
}
