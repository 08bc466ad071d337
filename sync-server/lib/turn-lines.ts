export type TurnLines<Item> = ReturnType<typeof createTurnLines<Item>>

/** What waits in a line for each key: each line's first, then each line's second, however long one of them is. */
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

    /** The one whose turn it is. */
    next: (): Item | undefined => lines.values().next().value?.[0],

    /** Takes it out; its line is the last then. */
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
