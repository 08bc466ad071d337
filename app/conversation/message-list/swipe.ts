/** What begins nearer to the screen's left edge is the browser's own way back. */
const edgePx = 24
/** Until a finger has moved so far, nobody knows what it wants. */
const slackPx = 10
/** So far a message is pulled for a reply; further on it follows the finger only a little. */
const farPx = 56
const followShare = 0.2

interface Finger {
  pointerId: number
  pointerType: string
  clientX: number
  clientY: number
}

interface SwipeEvents {
  /** Called with how far the message is pulled, px, and how much of the way to a reply that is, 0–1. */
  onPull(px: number, share: number): void
  /** Called when the finger leaves, or the browser takes it away. */
  onEnd(isFar: boolean): void
}

export interface Swipe {
  begin(finger: Finger, events: SwipeEvents | undefined): void
  move(finger: Finger): void
  /** The finger has left. */
  end(): void
  /** The browser has taken the finger, as for scrolling. */
  cancel(): void
}

/** One finger that goes to the right. What goes up, down or to the left first is nothing of ours until it leaves. */
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
