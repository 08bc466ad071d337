import { RequestRefused } from '../http/core/request-refused.ts'
import type { Full } from './ledger.ts'

export type Pace = ReturnType<typeof createPace>

/**
 * Checks that bytes come fast enough: each byte extends the deadline, never beyond `patienceMs`
 * from now. So it tolerates a stalled line for a while, but not a steady trickle.
 * @param now ms of a monotonic clock
 */
export function createPace(options: {
  bytesPerSecond: number
  patienceMs: number
  now: () => number
}) {
  const { bytesPerSecond, now } = options
  const state = { patienceMs: options.patienceMs, endsAt: now() + options.patienceMs }
  return {
    record(bytes: number) {
      const moved = state.endsAt + (bytes / bytesPerSecond) * 1_000
      state.endsAt = Math.min(moved, now() + state.patienceMs)
    },
    /** The other side is not the one being waited for. */
    hold() {
      state.endsAt = now() + state.patienceMs
    },
    /** Nobody checked for `ms`: bytes may have come meanwhile. */
    excuse(ms: number) {
      state.endsAt += ms
    },
    /** Sets a longer patience from now on. */
    relax(patienceMs: number) {
      state.endsAt += patienceMs - state.patienceMs
      state.patienceMs = patienceMs
    },
    /** How much of the patience is used. */
    lateMs: () => Math.max(0, now() + state.patienceMs - state.endsAt),
    isOver: () => now() > state.endsAt,
  }
}

/** The refusal for a caller who asks for more than their own limit, or the total, allows. */
export function refuseOver(full: Full): RequestRefused {
  return full === 'key'
    ? new RequestRefused('too_many_at_once', { headers: { 'retry-after': '2' } })
    : new RequestRefused('busy', { headers: { 'retry-after': '5' } })
}
