/** Node's timers fire at once for longer delays. */
const longestTimerMs = 2 ** 31 - 1

/** Runs once at `time`, epoch ms, however far away. @returns cancels it */
export function runAt(time: number, action: () => void): () => void {
  const state = { timer: undefined as NodeJS.Timeout | undefined }
  function wait() {
    const leftMs = time - Date.now()
    if (leftMs <= 0) return action()
    state.timer = setTimeout(wait, Math.min(leftMs, longestTimerMs)).unref()
  }
  wait()
  return () => clearTimeout(state.timer)
}
