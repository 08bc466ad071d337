import { type PointerEvent, type SyntheticEvent, useMemo, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import { useLatest } from './use-latest.ts'

/** How far a row has to be drawn for its action, in CSS pixels. */
const dueAtPx = 88
/** Before this, a finger that comes down may become a scroll, a long press or a tap. */
const slackPx = 12
/** Beyond the due place a row follows the finger by this share. */
const resistance = 0.35
/** A row's slide takes less, unless the page is hidden and draws nothing. */
const slideMostMs = 500
/** By then a row that leaves the list has left it. */
const goneAfterMs = 2_000

export interface SwipeActions {
  /** Run once the finger lets go beyond the due place. Drawn to the left, a row leaves its list: it slides out first. */
  left?: (() => Promise<unknown>) | undefined
  /** It stays, and slides back. */
  right?: (() => void) | undefined
}

/** A short vibration where the device has one: something was reached. */
function tick(): void {
  navigator.vibrate?.(10)
}

/**
 * Handlers for a row that a finger draws aside. It is moved here, without a render: `--drawn` on the element holds how
 * far, `data-drawn` the side, `data-due` that letting go acts, `data-sliding` that nobody holds it.
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
        const row = event.currentTarget
        const side = swipe.end(row)
        if (side === 'right') latest.current.right?.()
        if (side === 'left') void swipe.leave(row, () => latest.current.left?.())
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
    begin(event: PointerEvent<HTMLElement>) {
      const { currentTarget, pointerType, isPrimary } = event
      const { clientX: x, clientY: y, timeStamp: since } = event
      const isDown = pointerType === 'touch' && isPrimary
      Object.assign(at, { x, y, since, isDown, isDrawn: false, side: undefined })
      // Whoever takes hold of it meanwhile begins at its place.
      if (isDown) clear(currentTarget)
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
    end(row: HTMLElement): Side | undefined {
      const { side } = at
      const wasDrawn = row.dataset.drawn !== undefined && row.dataset.sliding === undefined
      Object.assign(at, { isDown: false, side: undefined })
      if (wasDrawn && side !== 'left') void slide(row, '0px').then(() => endSlide(row))
      return side
    },
    /** Slides the row out; what it does follows, and the list closes the gap. */
    async leave(row: HTMLElement, act: () => Promise<unknown> | undefined) {
      await slide(row, '-100%')
      try {
        await act()
        setTimeout(() => clear(row), goneAfterMs)
      } catch {
        clear(row)
      }
    },
    wasDrawn: () => at.isDrawn,
  }
}

type Side = 'left' | 'right'

/** Resolves once the row is there, at once where the system asks for no motion. */
async function slide(row: HTMLElement, to: string): Promise<void> {
  row.dataset.sliding = ''
  row.style.setProperty('--drawn', to)
  const ends = row.getAnimations({ subtree: true }).map(({ finished }) => finished)
  const most = new Promise((resolve) => setTimeout(resolve, slideMostMs))
  await Promise.race([Promise.allSettled(ends), most])
}

/** Unless a finger has taken hold of it. */
function endSlide(row: HTMLElement): void {
  if (row.dataset.sliding !== undefined) clear(row)
}

function clear({ style, dataset }: HTMLElement): void {
  style.removeProperty('--drawn')
  delete dataset.drawn
  delete dataset.due
  delete dataset.sliding
}

function limit(x: number): number {
  const beyond = Math.max(0, Math.abs(x) - dueAtPx)
  return Math.sign(x) * (Math.min(Math.abs(x), dueAtPx) + beyond * resistance)
}
