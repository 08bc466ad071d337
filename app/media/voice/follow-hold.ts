import { type HoldEnd, stepHold } from './step-hold.ts'

/**
 * Tracks the finger that pressed the microphone, wherever it moves, until its gesture is decided.
 */
export function followHold(press: {
  pointerId: number
  clientX: number
  clientY: number
  timeStamp: number
}): Promise<HoldEnd> {
  return new Promise((resolve) => {
    const added = new AbortController()
    const follow = (type: 'move' | 'up' | 'taken') => (event: PointerEvent) => {
      if (event.pointerId !== press.pointerId) return
      const end = stepHold({
        type,
        right: event.clientX - press.clientX,
        down: event.clientY - press.clientY,
        heldMs: event.timeStamp - press.timeStamp,
      })
      if (!end) return
      added.abort()
      resolve(end)
    }
    const { signal } = added
    const [onMove, onTaken] = [follow('move'), follow('taken')]
    addEventListener(
      'pointermove',
      // The person may release the mouse over the browser's permission prompt, where no page gets
      // the event.
      (event) => (event.buttons === 0 ? onTaken(event) : onMove(event)),
      { signal },
    )
    addEventListener('pointerup', follow('up'), { signal })
    addEventListener('pointercancel', onTaken, { signal })
  })
}
