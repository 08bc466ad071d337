const framesMax = 60
/** The list may draw its messages anew while it moves: only a focus that has stayed so long has arrived. */
const stillFrames = 8

/** Gives the focus to a message that is being scrolled into view, as soon as it is drawn. */
export function focusMessage(messageId: string): void {
  const progress = { framesLeft: framesMax, held: 0 }

  function look() {
    const element = document.querySelector<HTMLElement>(`[data-message-id="${messageId}"]`)
    const { activeElement } = document
    if (element && element === activeElement) progress.held += 1
    // Somebody has gone on from there.
    else if (progress.held > 0 && activeElement !== document.body) return
    else element?.focus({ preventScroll: true })
    progress.framesLeft -= 1
    if (progress.framesLeft > 0 && progress.held < stillFrames) requestAnimationFrame(look)
  }

  look()
}
