import { createBackOff } from '../platform/back-off.ts'

/** Replications that lived this long worked: the next failure has nothing to do with the last. */
const steadyMs = 60_000

/** Waits before replications that ended are begun again, longer after each failure in a row. */
export function createRestartPace(options: { random: () => number }) {
  const backOff = createBackOff(options)
  let begunAt: number | undefined

  return {
    /** Resolves when the next ones may begin. Rejects when `signal` aborts. */
    async wait(signal: AbortSignal): Promise<void> {
      if (begunAt !== undefined && performance.now() - begunAt >= steadyMs) backOff.forget()
      // Ones that cannot even begin live no time.
      begunAt = undefined
      backOff.fail(await backOff.begin(signal))
      await backOff.begin(signal)
    },
    /** They have begun. */
    recordBegun() {
      begunAt = performance.now()
    },
    hurry: backOff.hurry,
    close: backOff.close,
  }
}
