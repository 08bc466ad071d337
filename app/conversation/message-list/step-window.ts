export interface ShownWindow<T> {
  /** What the list draws now. */
  items: readonly T[]
  /** What it shall draw in the end; the same as `items` but for one frame between two steps. */
  goal: readonly T[]
  /** Did the last step change the start only? The list then keeps its place from the end. */
  isShift: boolean
  /** Grows when the window moved to another place, so that nothing measured there before is used. */
  generation: number
}

/**
 * The next step from what is shown to `goal`. The virtual list takes a change of the start or of the end, not
 * both at once: where a page comes in at one end and one is let go at the other, the start goes first.
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
