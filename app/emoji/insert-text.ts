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
  const { start, end } = range ?? { start: field.selectionStart, end: field.selectionEnd }
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(
    new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }),
  )
}
