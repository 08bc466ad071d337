/**
 * The key code of a key that an input method handles. Safari ends the composition before the key
 * event and marks the event by this code alone.
 */
const composingKeyCode = 229

/**
 * Replaces a field's selection, or `range`, as if typed. The field needs no focus: on a phone the
 * focus would open the keyboard.
 */
export function insertText(
  field: HTMLTextAreaElement | null,
  text: string,
  range?: { start: number; end: number },
): void {
  if (!field) return
  if (range) field.setSelectionRange(range.start, range.end)
  if (typeText(field, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(
    new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }),
  )
}

/**
 * Lets the browser type it: a value set by a script can't be undone, nor what was typed before it.
 * @returns false where the field would have to take the focus, and open a phone's keyboard
 */
function typeText(field: HTMLTextAreaElement, text: string): boolean {
  const { activeElement } = document
  const isElsewhere = activeElement !== field
  if (isElsewhere && !matchMedia('(hover: hover) and (pointer: fine)').matches) return false
  field.focus({ preventScroll: true })
  const isTyped = document.execCommand('insertText', false, text)
  if (isElsewhere && activeElement instanceof HTMLElement) {
    activeElement.focus({ preventScroll: true })
  }
  return isTyped
}

interface KeyPress {
  isComposing: boolean
  keyCode: number
}

/** Is an input method composing? Enter and Escape then belong to it. */
export function isComposing({ isComposing, keyCode }: KeyPress): boolean {
  return isComposing || keyCode === composingKeyCode
}
