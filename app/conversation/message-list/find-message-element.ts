/** The drawn message that an event happened in. */
export function findMessageElement(target: EventTarget | null) {
  const element =
    target instanceof Element ? target.closest<HTMLElement>('[data-message-id]') : null
  const id = element?.dataset.messageId
  return element && id ? { element, id } : undefined
}
