/** So long, and the press is no click any more. */
const clickMs = 400
/** So far, px, a finger goes to the left to give it up, or up to go on without it. */
const [cancelPx, lockPx] = [90, 70]

/** `lock`: it goes on without the finger. */
export type HoldEnd = 'send' | 'lock' | 'cancel'

/** What a finger on the microphone says. `right` and `down`: how far it is from where it began, px. */
export function stepHold(finger: {
  type: 'move' | 'up' | 'taken'
  right: number
  down: number
  heldMs: number
}): HoldEnd | undefined {
  const { type, right, down, heldMs } = finger
  // The browser wanted it for something else: what is recorded is not its to throw away.
  if (type === 'taken') return 'lock'
  if (type === 'up') return heldMs < clickMs ? 'lock' : 'send'
  if (-right >= cancelPx && -right > -down) return 'cancel'
  return -down >= lockPx ? 'lock' : undefined
}
