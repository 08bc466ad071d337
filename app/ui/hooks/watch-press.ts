interface PressHandlers {
  onPress(): void
  /** Called after the click. */
  onRelease(): void
  /** The press became a scroll, or was lost: no click follows. */
  onCancel(): void
}

/**
 * Tells when the main button, or a finger, goes down on an element, and when it is up, wherever that is. What moves under
 * it meanwhile is not clicked.
 * @returns ends it
 */
export function watchPress(
  element: HTMLElement,
  { onPress, onRelease, onCancel }: PressHandlers,
): () => void {
  let isDown = false
  let release: ReturnType<typeof setTimeout>
  const down = ({ button }: PointerEvent) => {
    // Where the browser shows its own menu, the release of another button never comes.
    if (button !== 0) return
    clearTimeout(release)
    isDown = true
    onPress()
  }
  const end = (ended: () => void) => () => {
    if (!isDown) return
    isDown = false
    ended()
  }
  const up = end(() => {
    release = setTimeout(onRelease)
  })
  const cancel = end(onCancel)
  element.addEventListener('pointerdown', down)
  window.addEventListener('pointerup', up)
  window.addEventListener('pointercancel', cancel)
  // What covers the page then may take the release.
  window.addEventListener('blur', cancel)
  return () => {
    clearTimeout(release)
    element.removeEventListener('pointerdown', down)
    window.removeEventListener('pointerup', up)
    window.removeEventListener('pointercancel', cancel)
    window.removeEventListener('blur', cancel)
  }
}
