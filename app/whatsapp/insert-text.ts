/** Inserts a text at the cursor as if typed, so that input listeners run. */
export function insertText(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  const { value, selectionStart: start, selectionEnd: end } = field
  const before = value.slice(0, start)
  const gap = before === '' || /\s$/.test(before) ? '' : ' '
  field.setRangeText(gap + text, start, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
