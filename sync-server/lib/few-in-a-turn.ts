interface Arrival {
  key: string
  begin: () => void
  isGivenUp: () => boolean
}

/**
 * Begins a few things per event-loop turn, one of each key in turn. Otherwise a burst of hundreds
 * would all begin before anybody else's work continues.
 * @param startsPerTurn further ones wait for the next turn
 * @param startsPerKey the same for one key: everybody else's work takes many turns
 */
export function createFewInATurn(options: {
  startsPerTurn: number
  startsPerKey?: (key: string) => number
}) {
  const { startsPerTurn, startsPerKey = () => startsPerTurn } = options
  const waiting = createTurnLines<Arrival>()
  const state = { started: 0, isTurnDue: false }
  const startedOf = new Map<string, number>()
  const mayStart = (key: string) => (startedOf.get(key) ?? 0) < startsPerKey(key)

  function callNextTurn() {
    if (state.isTurnDue) return
    state.isTurnDue = true
    setImmediate(() => {
      state.isTurnDue = false
      state.started = 0
      startedOf.clear()
      while (state.started < startsPerTurn) {
        const next = waiting.take(mayStart)
        if (!next) break
        if (!next.isGivenUp()) start(next)
      }
      if (waiting.count() > 0) callNextTurn()
    })
  }

  function start({ key, begin }: Arrival) {
    state.started += 1
    startedOf.set(key, (startedOf.get(key) ?? 0) + 1)
    callNextTurn()
    begin()
  }

  return {
    /** Begins it now or in a later turn. */
    take(arrival: Arrival) {
      const { key } = arrival
      const isFree = state.started < startsPerTurn && mayStart(key)
      if (isFree && !waiting.has(key)) return start(arrival)
      waiting.add(key, arrival)
      callNextTurn()
    },
    countWaiting: waiting.count,
  }
}

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

    has: (key: string) => lines.has(key),

    /** Takes it out; its queue goes to the end. @param may leaves queues out */
    take(may: (key: string) => boolean = () => true): Item | undefined {
      for (const [key, line] of lines) {
        if (!may(key)) continue
        const item = line.shift()
        lines.delete(key)
        if (line.length > 0) lines.set(key, line)
        state.count -= 1
        return item
      }
      return undefined
    },
  }
}
