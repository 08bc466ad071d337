const focusable = 'a[href], button, input, textarea, select, [tabindex]'

/**
 * The focused element and its focusable ancestors: where to return the focus if the first is gone.
 */
export function findFocusPath(): HTMLElement[] {
  const path: HTMLElement[] = []
  let element = document.activeElement
  while (element && element !== document.body) {
    if (element instanceof HTMLElement && element.matches(focusable)) path.push(element)
    element = element.parentElement
  }
  return path
}

/** Focuses the first element that still exists; false if none does. */
export function focusFirst(path: readonly HTMLElement[]): boolean {
  for (const element of path) {
    if (!element.isConnected) continue
    element.focus({ preventScroll: true })
    if (document.activeElement === element) return true
  }
  return false
}
