/** A swipe that starts nearer to the left edge is the browser's Back gesture. */
const edgePx = 24
/** A finger that has moved less has no direction yet. */
const slackPx = 10
/** The pull that triggers a reply; beyond it the message follows the finger only a little. */
const farPx = 56
const followShare = 0.2

interface Finger {
  pointerId: number
  pointerType: string
  clientX: number
  clientY: number
}

interface SwipeEvents {
  /** Called with the pull in px and as a share of the way to a reply, 0–1. */
  onPull(px: number, share: number): void
  /** Called when the finger lifts or the browser cancels the gesture. */
  onEnd(isFar: boolean): void
}

export interface Swipe {
  begin(finger: Finger, events: SwipeEvents | undefined): void
  move(finger: Finger): void
  /** The finger has lifted. */
  end(): void
  /** The browser has taken over the gesture, as for scrolling. */
  cancel(): void
}

/**
 * A one-finger swipe to the right. One that first moves up, down or left is ignored until it lifts.
 */
export function createSwipe(): Swipe {
  let start: (Finger & { events: SwipeEvents }) | undefined
  let pulled: number | undefined

  function finish(isFar: boolean) {
    const { events } = start ?? {}
    const wasPulled = pulled !== undefined
    start = undefined
    pulled = undefined
    if (wasPulled) events?.onEnd(isFar)
  }

  return {
    begin({ pointerId, pointerType, clientX, clientY }, events) {
      // A second finger is another gesture.
      finish(false)
      if (pointerType !== 'touch' || !events || clientX < edgePx) return
      start = { pointerId, pointerType, clientX, clientY, events }
    },
    move({ pointerId, clientX, clientY }) {
      if (start?.pointerId !== pointerId) return
      const [right, down] = [clientX - start.clientX, Math.abs(clientY - start.clientY)]
      if (pulled === undefined) {
        if (Math.hypot(right, down) < slackPx) return
        if (right < 2 * down) return finish(false)
      }
      pulled = Math.max(0, right - slackPx)
      const follow = Math.max(0, pulled - farPx) * followShare
      start.events.onPull(Math.min(pulled, farPx) + follow, Math.min(1, pulled / farPx))
    },
    end: () => finish(pulled !== undefined && pulled >= farPx),
    cancel: () => finish(false),
  }
}
