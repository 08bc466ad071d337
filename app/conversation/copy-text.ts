/** Copies a text; where the clipboard is not to be had, by the old copy command from a hidden field. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    copyByCommand(text)
  }
}

function copyByCommand(text: string): void {
  const returnTo = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
  if (returnTo instanceof HTMLElement) returnTo.focus({ preventScroll: true })
}
