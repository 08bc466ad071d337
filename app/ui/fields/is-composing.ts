/** A key that belongs to an input method. Safari ends the composition first, and tells it by this code alone. */
const composingKeyCode = 229

interface KeyPress {
  isComposing: boolean
  keyCode: number
}

/** While an input method composes, Enter and Escape are its own. */
export function isComposing({ isComposing, keyCode }: KeyPress): boolean {
  return isComposing || keyCode === composingKeyCode
}
