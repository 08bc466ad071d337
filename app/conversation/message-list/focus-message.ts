const framesMax = 60
/**
 * The list may remount its messages while it moves: the focus counts as set only after these
 * frames.
 */
const stillFrames = 8

/** Focuses a message that is being scrolled into view, as soon as it renders. */
export function focusMessage(messageId: string): void {
  const progress = { framesLeft: framesMax, held: 0 }

  function look() {
    const element = document.querySelector<HTMLElement>(`[data-message-id="${messageId}"]`)
    const { activeElement } = document
    if (element && element === activeElement) progress.held += 1
    // The person has moved the focus on.
    else if (progress.held > 0 && activeElement !== document.body) return
    else element?.focus({ preventScroll: true })
    progress.framesLeft -= 1
    if (progress.framesLeft > 0 && progress.held < stillFrames) requestAnimationFrame(look)
  }

  look()
}
