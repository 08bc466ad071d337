/** A press longer than this is no click. */
const clickMs = 400
/** How far, px, the finger moves left to cancel, or up to record without it. */
const [cancelPx, lockPx] = [90, 70]

/** `lock`: recording continues without the finger. */
export type HoldEnd = 'send' | 'lock' | 'cancel'

/**
 * The meaning of a finger's gesture on the microphone. `right` and `down`: its distance from the
 * start, px.
 */
export function stepHold(finger: {
  type: 'move' | 'up' | 'taken'
  right: number
  down: number
  heldMs: number
}): HoldEnd | undefined {
  const { type, right, down, heldMs } = finger
  // The browser cancelled the touch: that must not discard the recording.
  if (type === 'taken') return 'lock'
  if (type === 'up') return heldMs < clickMs ? 'lock' : 'send'
  if (-right >= cancelPx && -right > -down) return 'cancel'
  return -down >= lockPx ? 'lock' : undefined
}
