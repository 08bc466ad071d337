export type AdaptiveBatchSize = ReturnType<typeof createAdaptiveBatchSize>

/**
 * How much is given to the line at once: a quarter after a time when it was too much, half as much again after
 * each that went through, so that a slow line, or one that breaks again and again, gets somewhere too.
 * What is less than half a portion says nothing about it.
 */
export function createAdaptiveBatchSize(options: { first: number; least: number; most: number }) {
  const { first, least, most } = options
  let size = first
  return {
    size: () => size,
    grow(amount: number) {
      if (amount * 2 >= size) size = Math.min(most, Math.ceil(size * 1.5))
    },
    shrink(amount: number) {
      if (amount * 2 >= size) size = Math.max(least, Math.floor(size / 4))
    },
  }
}
