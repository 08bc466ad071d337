/**
 * The key code of a key that an input method handles. Safari ends the composition before the key
 * event and marks the event by this code alone.
 */
const composingKeyCode = 229

interface KeyPress {
  isComposing: boolean
  keyCode: number
}

/** Is an input method composing? Enter and Escape then belong to it. */
export function isComposing({ isComposing, keyCode }: KeyPress): boolean {
  return isComposing || keyCode === composingKeyCode
}
