import { type PointerEvent, type SyntheticEvent, useMemo, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import { useLatest } from './use-latest.ts'

/** How far a row has to be drawn for its action, in CSS pixels. */
const dueAtPx = 88
/** Before this, a finger that comes down may become a scroll, a long press or a tap. */
const slackPx = 12
/** Beyond the due place a row follows the finger by this share. */
const resistance = 0.35

export interface SwipeActions {
  /** Drawn to the left, and to the right: run once the finger lets go beyond the due place. */
  left?: (() => void) | undefined
  right?: (() => void) | undefined
}

/** A short vibration where the device has one: something was reached. */
function tick(): void {
  navigator.vibrate?.(10)
}

/**
 * Handlers for a row that a finger draws aside. It is moved here, without a render: `--drawn` on the element holds how
 * far, `data-drawn` the side, `data-due` that letting go acts.
 */
export function useRowSwipe(actions: SwipeActions) {
  const latest = useLatest(actions)
  const [swipe] = useState(createSwipe)
  return useMemo(() => {
    const end = (event: PointerEvent<HTMLElement>) => swipe.end(event.currentTarget)
    return {
      onPointerDown: (event: PointerEvent<HTMLElement>) => swipe.begin(event),
      onPointerMove: (event: PointerEvent<HTMLElement>) => swipe.move(event, latest.current),
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        const side = swipe.end(event.currentTarget)
        if (side) latest.current[side]?.()
      },
      onPointerCancel: end,
      // Drawing a row does not open it.
      onClickCapture(event: SyntheticEvent) {
        if (!swipe.wasDrawn()) return
        event.preventDefault()
        event.stopPropagation()
      },
    }
  }, [latest, swipe])
}

function createSwipe() {
  const at = {
    x: 0,
    y: 0,
    since: 0,
    isDown: false,
    isDrawn: false,
    side: undefined as Side | undefined,
  }
  return {
    begin({ pointerType, isPrimary, clientX: x, clientY: y, timeStamp: since }: PointerEvent) {
      const isDown = pointerType === 'touch' && isPrimary
      Object.assign(at, { x, y, since, isDown, isDrawn: false, side: undefined })
    },
    move(event: PointerEvent<HTMLElement>, actions: SwipeActions) {
      if (!at.isDown) return
      const [x, y] = [event.clientX - at.x, event.clientY - at.y]
      if (!at.isDrawn) {
        // By then a finger that rests has opened the menu.
        const isLong = event.timeStamp - at.since > limits.longPressMs
        if (Math.abs(y) > slackPx || isLong) at.isDown = false
        if (!at.isDown || Math.abs(x) < slackPx || Math.abs(x) < Math.abs(y) * 1.5) return
        at.isDrawn = true
        event.currentTarget.setPointerCapture(event.pointerId)
      }
      const side = x < 0 ? 'left' : 'right'
      const drawn = actions[side] ? limit(x) : 0
      const isDue = Math.abs(drawn) >= dueAtPx
      if (isDue && at.side === undefined) tick()
      at.side = isDue ? side : undefined
      const { style, dataset } = event.currentTarget
      style.setProperty('--drawn', `${drawn}px`)
      dataset.drawn = side
      if (isDue) dataset.due = ''
      else delete dataset.due
    },
    /** @returns the side whose action is due */
    end(element: HTMLElement): Side | undefined {
      const { side } = at
      Object.assign(at, { isDown: false, side: undefined })
      element.style.removeProperty('--drawn')
      delete element.dataset.drawn
      delete element.dataset.due
      return side
    },
    wasDrawn: () => at.isDrawn,
  }
}

type Side = 'left' | 'right'

function limit(x: number): number {
  const beyond = Math.max(0, Math.abs(x) - dueAtPx)
  return Math.sign(x) * (Math.min(Math.abs(x), dueAtPx) + beyond * resistance)
}
