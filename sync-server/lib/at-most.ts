/**
 * Options of an `LRUCache` that holds so many entries at most. With its own `max` it lays out the room for all of them at
 * once: two dozen caches for as many people as a server may ever have took a quarter of its start, and most of them for
 * nothing.
 */
export function atMost(count: number) {
  return { maxSize: count, sizeCalculation: () => 1 }
}
