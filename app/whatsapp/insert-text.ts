/** Puts a text where the cursor is, as if it had been typed: whoever follows the field hears of it. */
export function insertText(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  const { value, selectionStart: start, selectionEnd: end } = field
  const before = value.slice(0, start)
  const gap = before === '' || /\s$/.test(before) ? '' : ' '
  field.setRangeText(gap + text, start, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
