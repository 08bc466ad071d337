import type { PointerEvent } from 'react'

export interface RestingMouse {
  onPointerMove(event: PointerEvent): void
  onPointerLeave(event: PointerEvent): void
}

/**
 * For all items of one menu. When an item is drawn elsewhere, the browser says that a mouse that rests there has left
 * it, and Radix takes the focus from whichever item the keyboard has reached: only a mouse that moved may do that.
 */
export function ignoreRestingMouse(): RestingMouse {
  let last: { x: number; y: number } | undefined
  return {
    onPointerMove({ clientX: x, clientY: y }) {
      last = { x, y }
    },
    onPointerLeave(event) {
      const hasMoved = last && Math.hypot(event.clientX - last.x, event.clientY - last.y) >= 1
      // Radix does nothing then.
      if (!hasMoved) event.preventDefault()
    },
  }
}
