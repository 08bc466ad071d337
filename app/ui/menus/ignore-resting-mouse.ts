import type { PointerEvent } from 'react'

export interface RestingMouse {
  onPointerMove(event: PointerEvent): void
  onPointerLeave(event: PointerEvent): void
}

/**
 * For all items of one menu. When an item moves, the browser reports that a resting mouse has left
 * it, and Radix then takes the focus from the item that the keyboard reached. Only a mouse that
 * really moved may change the focus.
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
