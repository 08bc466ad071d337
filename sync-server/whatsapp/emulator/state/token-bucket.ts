/** A budget that refills with time. @param refillMs the time for one more @param now ms */
export function createTokenBucket(options: {
  capacity: () => number
  refillMs: () => number
  now: () => number
}) {
  const { capacity, refillMs, now } = options
  const bucket = { used: 0, at: now() }

  function read(): number {
    const moment = now()
    bucket.used = Math.max(0, bucket.used - (moment - bucket.at) / refillMs())
    bucket.at = moment
    return bucket.used
  }

  return {
    /** Takes one if any is left. @returns whether it did */
    take(): boolean {
      if (read() + 1 > capacity() + 1e-9) return false
      bucket.used += 1
      return true
    },
    /** The used part, in percent. */
    percentUsed: () => Math.round((read() / Math.max(1, capacity())) * 100),
  }
}
