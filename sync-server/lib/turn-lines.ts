export type TurnLines<Item> = ReturnType<typeof createTurnLines<Item>>

/**
 * Queues by key with turns: each queue's first item, then each queue's second, however long one is.
 */
export function createTurnLines<Item>() {
  /** The line whose turn is next comes first. */
  const lines = new Map<string, Item[]>()
  const state = { count: 0 }

  return {
    count: () => state.count,

    add(key: string, item: Item) {
      const line = lines.get(key)
      if (line) line.push(item)
      else lines.set(key, [item])
      state.count += 1
    },

    /** The next item. */
    next: (): Item | undefined => lines.values().next().value?.[0],

    /** Takes it out; its queue goes to the end. */
    take(): Item | undefined {
      const [first] = lines
      if (!first) return undefined
      const [key, line] = first
      const item = line.shift()
      lines.delete(key)
      if (line.length > 0) lines.set(key, line)
      state.count -= 1
      return item
    },
  }
}
