/**
 * Writes into a field in place of what is selected, or of `range`, as if it had been typed. The field need not have the
 * focus: on a phone it would bring the keyboard back.
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
