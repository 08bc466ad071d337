/** The open dialog or menu, if there is one. */
export function findOverlay(): Element | null {
  return document.querySelector('[role="dialog"], [role="menu"], dialog[open]')
}
