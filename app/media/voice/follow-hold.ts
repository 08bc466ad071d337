import { type HoldEnd, stepHold } from './step-hold.ts'

/** Follows the finger that came down on the microphone, wherever it goes, until it says something. */
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
      // A mouse that was let go over the browser's question for permission, where no page hears of it.
      (event) => (event.buttons === 0 ? onTaken(event) : onMove(event)),
      { signal },
    )
    addEventListener('pointerup', follow('up'), { signal })
    addEventListener('pointercancel', onTaken, { signal })
  })
}
