/**
 * Options of an `LRUCache` of at most `count` entries. Its own `max` preallocates them all: two
 * dozen caches sized for a whole server took a quarter of the start, mostly unused.
 */
export function atMost(count: number) {
  return { maxSize: count, sizeCalculation: () => 1 }
}
