import { type PointerEvent, type SyntheticEvent, useEffect, useMemo, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import { useLatest } from '../hooks/use-latest.ts'
import type { MenuPoint } from './menu-action.ts'

const slackPx = 10

/** A timer that comes so much too late tells of a page that was busy. */
const lateMs = 50

/** By then such a page has heard of what the finger did meanwhile. */
const hearMs = 100

interface Press {
  pointerType: string
  clientX: number
  clientY: number
}

interface Following {
  cancelable: boolean
  preventDefault(): void
  stopPropagation(): void
}

export interface LongPress {
  /** Without a handler no timer starts. */
  begin(press: Press, onLongPress: ((point: MenuPoint) => void) | undefined): void
  move(press: Press): void
  end(): void
  /** For `contextmenu`: false if the caller should handle it, true if the timer fired first. */
  meetContextMenu(event: Following): boolean
  /**
   * For `touchend` and `click`: cancels the events that follow a long press when the finger lifts.
   */
  swallow(event: Following): boolean
}

/**
 * Detects a long press. Safari on phones sends no `contextmenu` for one, so a timer does; where the
 * browser also sends one, the first counts.
 */
export function createLongPress(): LongPress {
  const press = { x: 0, y: 0, isDown: false, isOver: false }
  let timer: ReturnType<typeof setTimeout> | undefined

  function swallow(event: Following) {
    if (!press.isOver) return false
    if (event.cancelable) event.preventDefault()
    event.stopPropagation()
    return true
  }

  return {
    begin({ pointerType, clientX: x, clientY: y }, onLongPress) {
      clearTimeout(timer)
      const isDown = pointerType !== 'mouse' && onLongPress !== undefined
      Object.assign(press, { x, y, isDown, isOver: false })
      if (!isDown) return
      const dueAt = performance.now() + limits.longPressMs
      const fire = () => {
        press.isOver = true
        tapFinger()
        onLongPress({ x, y })
      }
      timer = setTimeout(() => {
        // It may have moved or left, which the page hears of only after its timers.
        if (performance.now() - dueAt > lateMs) timer = setTimeout(fire, hearMs)
        else fire()
      }, limits.longPressMs)
    },
    move({ clientX, clientY }) {
      if (Math.hypot(clientX - press.x, clientY - press.y) > slackPx) clearTimeout(timer)
    },
    end() {
      press.isDown = false
      clearTimeout(timer)
    },
    meetContextMenu(event) {
      clearTimeout(timer)
      if (swallow(event)) return true
      press.isOver = press.isDown
      return false
    },
    swallow,
  }
}

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

/** A short tap under the finger, where the device can. Browsers refuse it before the first touch. */
export function tapFinger(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10)
}
