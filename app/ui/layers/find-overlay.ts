/** Selects an open dialog or menu. */
export const overlay = '[role="dialog"], [role="menu"], dialog[open]'

/** The open dialog or menu, if there is one. */
export function findOverlay(): Element | null {
  return document.querySelector(overlay)
}
