import { type PointerEvent, useMemo, useRef } from 'react'
import type { MenuPoint } from './menu-action.ts'
import { useLatest } from './use-latest.ts'

const longPressMs = 500
const slackPx = 10

/** Handlers that report a finger that stays. Where the browser itself sends `contextmenu` for it, that comes first. */
export function useLongPress(onLongPress: (point: MenuPoint) => void) {
  const latest = useLatest(onLongPress)
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  return useMemo(() => {
    const cancel = () => clearTimeout(press.current?.timer)
    return {
      onPointerDown(event: PointerEvent) {
        if (event.pointerType === 'mouse') return
        const { clientX: x, clientY: y } = event
        cancel()
        const timer = setTimeout(() => latest.current({ x, y }), longPressMs)
        press.current = { timer, x, y }
      },
      onPointerMove(event: PointerEvent) {
        const start = press.current
        if (!start) return
        const moved = Math.hypot(event.clientX - start.x, event.clientY - start.y)
        if (moved > slackPx) cancel()
      },
      onPointerUp: cancel,
      onPointerCancel: cancel,
    }
  }, [latest])
}
