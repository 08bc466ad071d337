/** Selects an open dialog or menu. */
export const overlay = '[role="dialog"], [role="menu"], dialog[open]'

const focusable = 'a[href], button, input, textarea, select, [tabindex]'
const heirsOf = new WeakMap<HTMLElement, readonly HTMLElement[]>()

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

/** Names the elements that get the focus in place of `element` once it is gone. */
export function nameHeirs(element: HTMLElement, heirs: readonly HTMLElement[]): void {
  heirsOf.set(element, heirs)
}

/** Focuses the first element that still exists, or has an heir that does; false if none does. */
export function focusFirst(path: readonly HTMLElement[]): boolean {
  for (const element of path) {
    if (!element.isConnected) {
      if (focusFirst(heirsOf.get(element) ?? [])) return true
      continue
    }
    element.focus({ preventScroll: true })
    if (document.activeElement === element) return true
  }
  return false
}

/**
 * As `focusFirst`, for what has closed: takes the focus from nothing that got it meanwhile. Radix calls back in a timer,
 * which a quick next key comes before.
 */
export function returnFocus(path: readonly HTMLElement[]): void {
  if (document.activeElement === document.body) focusFirst(path)
}

/** The open dialog or menu, if there is one. */
export function findOverlay(): Element | null {
  return document.querySelector(overlay)
}
