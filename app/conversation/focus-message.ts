const framesMax = 60

/** Gives the focus to a message that is being scrolled into view, as soon as it is drawn. */
export function focusMessage(messageId: string, frames = framesMax): void {
  const element = document.querySelector<HTMLElement>(`[data-message-id="${messageId}"]`)
  if (element) element.focus({ preventScroll: true })
  else if (frames > 0) requestAnimationFrame(() => focusMessage(messageId, frames - 1))
}
