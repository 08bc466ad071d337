import { type PointerEvent, type SyntheticEvent, useEffect, useMemo, useState } from 'react'
import { useLatest } from '../hooks/use-latest.ts'
import { createLongPress } from './long-press.ts'
import type { MenuPoint } from './menu-action.ts'

/** Handlers that report a long press and suppress the click that would follow it. */
export function useLongPress(onLongPress: (point: MenuPoint) => void) {
  const latest = useLatest(onLongPress)
  const [press] = useState(createLongPress)
  useEffect(() => press.end, [press])
  return useMemo(() => {
    const swallow = (event: SyntheticEvent) => void press.swallow(event)
    return {
      onPointerDown: (event: PointerEvent) => press.begin(event, (point) => latest.current(point)),
      onPointerMove: (event: PointerEvent) => press.move(event),
      onPointerUp: press.end,
      onPointerCancel: press.end,
      onContextMenuCapture: (event: SyntheticEvent) => void press.meetContextMenu(event),
      // The mouse events that the browser derives from a touch would blur the menu and close it.
      onTouchEnd: swallow,
      onClickCapture: swallow,
    }
  }, [latest, press])
}
