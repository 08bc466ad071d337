/**
 * Copies a text; without clipboard access, by the old copy command from a hidden field. Resolves
 * with whether that worked.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

function copyByCommand(text: string): boolean {
  const returnTo = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (returnTo instanceof HTMLElement) returnTo.focus({ preventScroll: true })
  return isCopied
}
