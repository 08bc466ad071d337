export interface ShownWindow<T> {
  /** The items that the list renders now. */
  items: readonly T[]
  /** The final items; differs from `items` only for one frame between two steps. */
  goal: readonly T[]
  /** Did the last step change only the start? The list then keeps its position from the end. */
  isShift: boolean
  /** Increases when the window moves to another place, so that no old measurement is reused. */
  generation: number
}

/**
 * The next step from the shown items to `goal`. The virtual list takes a change at the start or at
 * the end, not both: if a page is added at one end and another dropped at the other, the start goes
 * first.
 */
export function stepWindow<T extends { _id: string }>(
  shown: ShownWindow<T>,
  goal: readonly T[],
): ShownWindow<T> {
  const { items, generation } = shown
  const done = { items: goal, goal, isShift: false, generation }
  if (items[0]?._id === goal[0]?._id || items.length === 0) return done

  const places = new Map(goal.map((item, index) => [item._id, index]))
  const lastKept = items.findLastIndex((item) => places.has(item._id))
  const lastKeptItem = items[lastKept]
  if (!lastKeptItem) return { ...done, generation: generation + 1 }

  const lastPlace = places.get(lastKeptItem._id) ?? 0
  const isEndSame = lastKept === items.length - 1 && lastPlace === goal.length - 1
  if (isEndSame) return { ...done, isShift: true }
  const withOldEnd = [...goal.slice(0, lastPlace + 1), ...items.slice(lastKept + 1)]
  return { items: withOldEnd, goal, isShift: true, generation }
}

/** The scroll position of a message list above its end. */
export interface ListPlace {
  /** The topmost visible message. */
  messageId: string
  /** How much of it is above the visible area. */
  offsetPx: number
}
