/** The dialog or menu that lies over the page, if one is open. */
export function findOverlay(): Element | null {
  return document.querySelector('[role="dialog"], [role="menu"], dialog[open]')
}
