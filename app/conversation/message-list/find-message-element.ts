/** The element of the message in which an event happened. */
export function findMessageElement(target: EventTarget | null) {
  const element =
    target instanceof Element ? target.closest<HTMLElement>('[data-message-id]') : null
  const id = element?.dataset.messageId
  return element && id ? { element, id } : undefined
}
