import { setImmediate } from 'node:timers/promises'

/** Others wait for no stretch of work that is much longer. */
const stretchMs = 8

/**
 * Maps items in sequence, and lets others work after every few milliseconds: one item may take a
 * hundred times as long as another.
 * @param now ms of a monotonic clock
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
  now: () => number = () => performance.now(),
): Promise<Result[]> {
  const results: Result[] = []
  let begunAt = now()
  for (const item of items) {
    if (now() - begunAt > stretchMs) {
      await setImmediate()
      begunAt = now()
    }
    results.push(map(item))
  }
  return results
}
