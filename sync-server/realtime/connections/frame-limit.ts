const framesPerSecond = 60
const burst = 240

/** Allows a person's typing and a queue's burst, but no flood. @param now epoch ms */
export function createFrameLimit(now: () => number = Date.now) {
  const bucket = { left: burst, filledAt: now() }
  /** @returns false when over the limit */
  return function takeFrame(): boolean {
    const at = now()
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.filledAt) / 1000) * framesPerSecond)
    bucket.filledAt = at
    bucket.left -= 1
    return bucket.left >= 0
  }
}
