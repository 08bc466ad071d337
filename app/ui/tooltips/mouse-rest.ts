const restPx = 4

/**
 * Where the mouse was pressed, or rested when a key was: what appears beneath it there, as a button in place of Send, was
 * not pointed at. Known from the start, for the layer may load while the mouse rests.
 */
export interface MouseRest {
  /** Takes a move. Returns whether the mouse is where it rested all the same. */
  move(event: PointerEvent): boolean
  /** Something was pressed, or a key. */
  press(event?: PointerEvent): void
  isResting(): boolean
}

export function createMouseRest(): MouseRest {
  let rest: { x: number; y: number } | undefined
  let last = { x: -1, y: -1 }
  return {
    move({ clientX, clientY }) {
      last = { x: clientX, y: clientY }
      if (rest && Math.hypot(last.x - rest.x, last.y - rest.y) >= restPx) rest = undefined
      return rest !== undefined
    },
    press(event) {
      if (event) last = { x: event.clientX, y: event.clientY }
      rest = last
    },
    isResting: () => rest !== undefined,
  }
}
