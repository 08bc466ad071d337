/** A sleeping device's timers stand still, and its clock may be set: look this often at the latest. */
const lookEveryMs = 60_000

/**
 * Calls back when a conversation's muting ends. Without one that ends, no timer runs.
 * @param listEnds when the present mutings end, epoch ms
 */
export function createMuteEnds(options: {
  now: () => number
  listEnds: () => readonly number[]
  onEnd: () => void
}) {
  const { now, listEnds, onEnd } = options
  let timer: ReturnType<typeof setTimeout> | undefined

  function follow() {
    clearTimeout(timer)
    const next = Math.min(...listEnds())
    if (next === Number.POSITIVE_INFINITY) return
    timer = setTimeout(look, Math.min(Math.max(next - now(), 0), lookEveryMs))
  }

  function look() {
    if (listEnds().some((end) => end <= now())) onEnd()
    else follow()
  }

  return {
    /** The mutings have changed. */
    follow,
    close: () => clearTimeout(timer),
  }
}
