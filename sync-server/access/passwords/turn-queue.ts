/**
 * A queue with turns by key: each key's first item, then each key's second, and so on. When full, a
 * key with fewer items displaces the last one of the key with most.
 * @param keyMax how many items of one key may wait
 * @param max how many items may wait in all
 */
export function createTurnQueue<Item>({ keyMax, max }: { keyMax: number; max: number }) {
  /** The key whose turn is next comes first. */
  const lines = new Map<string, Item[]>()
  const state = { count: 0 }

  function findLongest(): Item[] {
    return [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
  }

  function setLine(key: string, line: Item[]) {
    lines.delete(key)
    if (line.length > 0) lines.set(key, line)
  }

  return {
    count: () => state.count,

    /** @returns the item that found no place: the given one, one it displaced, or nothing */
    add(key: string, item: Item): Item | undefined {
      const line = lines.get(key) ?? []
      if (line.length >= keyMax) return item
      const longest = state.count >= max ? findLongest() : undefined
      if (longest && longest.length <= line.length + 1) return item
      line.push(item)
      lines.set(key, line)
      if (longest) return longest.pop()
      state.count += 1
      return undefined
    },

    /** Takes out the next item; its key goes to the end. */
    take(): Item | undefined {
      const [first] = lines
      if (!first) return undefined
      const [key, line] = first
      const item = line.shift()
      setLine(key, line)
      state.count -= 1
      return item
    },

    /** Removes an item that no longer waits. @returns false when it was not there */
    remove(key: string, item: Item): boolean {
      const line = lines.get(key) ?? []
      const index = line.indexOf(item)
      if (index === -1) return false
      line.splice(index, 1)
      if (line.length === 0) lines.delete(key)
      state.count -= 1
      return true
    },
  }
}
