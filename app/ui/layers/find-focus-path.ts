const focusable = 'a[href], button, input, textarea, select, [tabindex]'

/** What has the focus, and what it lies in that could have it: where to return to, should the first have gone. */
export function findFocusPath(): HTMLElement[] {
  const path: HTMLElement[] = []
  let element = document.activeElement
  while (element && element !== document.body) {
    if (element instanceof HTMLElement && element.matches(focusable)) path.push(element)
    element = element.parentElement
  }
  return path
}

/** Gives the focus to the first that is still there; false if none is. */
export function focusFirst(path: readonly HTMLElement[]): boolean {
  for (const element of path) {
    if (!element.isConnected) continue
    element.focus({ preventScroll: true })
    if (document.activeElement === element) return true
  }
  return false
}
