/** A budget that fills with time. @param refillMs how long one more takes @param now ms */
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
    /** Is one left? Then it is taken. */
    take(): boolean {
      if (read() + 1 > capacity() + 1e-9) return false
      bucket.used += 1
      return true
    },
    /** How much is used, in percent. */
    percentUsed: () => Math.round((read() / Math.max(1, capacity())) * 100),
  }
}
