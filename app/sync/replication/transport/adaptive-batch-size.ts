export type AdaptiveBatchSize = ReturnType<typeof createAdaptiveBatchSize>

/**
 * The batch size for the line: a quarter after an overload, half as much again after each success,
 * so that a slow line, or one that keeps breaking, makes progress too. A batch below half the size
 * says nothing about it.
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
