import { type RefObject, useEffect } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { createLongPress } from '../../ui/menus/long-press.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'

/** The list is at rest after this time without movement. */
const restMs = 120

interface MessageEvents {
  onMenu(messageId: string, point: MenuPoint): void
  onHover(messageId: string | undefined): void
  onClick(messageId: string): void
}

/** One set of listeners for all messages of a list: right click, long press, keyboard, hover, click. */
export function useMessageEvents(
  container: RefObject<HTMLElement | null>,
  events: MessageEvents,
): void {
  const latest = useLatest(events)
  useEffect(() => {
    const element = container.current
    if (!element) return
    const press = createLongPress()
    const hover = createHover((messageId) => latest.current.onHover(messageId))
    const listeners = {
      contextmenu(event: MouseEvent) {
        const message = findMessageElement(event.target)
        if (press.meetContextMenu(event) || !message || wantsBrowserMenu(event)) return
        event.preventDefault()
        latest.current.onMenu(message.id, pointOf(event, message.element))
      },
      keydown(event: KeyboardEvent) {
        const message = findMessageElement(event.target)
        const isOnMessage = message?.element === event.target
        if (!message || !isOnMessage || (event.key !== 'Enter' && event.key !== ' ')) return
        event.preventDefault()
        latest.current.onMenu(message.id, cornerOf(message.element))
      },
      click(event: MouseEvent) {
        const message = findMessageElement(event.target)
        if (message) latest.current.onClick(message.id)
      },
      pointerover(event: PointerEvent) {
        if (event.pointerType === 'mouse') hover.point(findMessageElement(event.target)?.id)
      },
      pointerleave() {
        hover.point(undefined)
      },
      pointerdown(event: PointerEvent) {
        const message = findMessageElement(event.target)
        const open = (point: MenuPoint) => message && latest.current.onMenu(message.id, point)
        press.begin(event, message && !isOnLink(event) ? open : undefined)
      },
      scroll: hover.listMoved,
      pointermove: press.move,
      pointerup: press.end,
      pointercancel: press.end,
      touchend: (event: TouchEvent) => void press.swallow(event),
    }
    const added = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    const early = { signal: added.signal, capture: true }
    element.addEventListener('click', (event) => void press.swallow(event), early)
    return () => {
      press.end()
      hover.end()
      added.abort()
    }
  }, [container, latest])
}

/** On links and selected text the browser's own menu is more useful. */
function wantsBrowserMenu(event: MouseEvent): boolean {
  return isOnLink(event) || (getSelection()?.isCollapsed === false && event.button === 2)
}

function isOnLink(event: Event): boolean {
  return event.target instanceof Element && event.target.closest('a') !== null
}

function pointOf(event: MouseEvent, element: HTMLElement): MenuPoint {
  const isFromKeyboard = event.button !== 2 && event.detail === 0 && event.clientX === 0
  return isFromKeyboard ? cornerOf(element) : { x: event.clientX, y: event.clientY }
}

function cornerOf(element: HTMLElement): MenuPoint {
  const box = element.getBoundingClientRect()
  return { x: box.left + box.width / 2, y: box.top + Math.min(box.height, 40) }
}

/**
 * Reports the message under a resting pointer. While the list scrolls beneath it, reports nothing:
 * each report would rerender the list.
 */
function createHover(onHover: (messageId: string | undefined) => void) {
  let pointed: string | undefined
  let movedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  function tell() {
    clearTimeout(timer)
    timer = undefined
    const leftMs = movedAt + restMs - performance.now()
    if (leftMs > 0) timer = setTimeout(tell, leftMs)
    else onHover(pointed)
  }

  return {
    point(messageId: string | undefined) {
      pointed = messageId
      if (timer === undefined) tell()
    },
    listMoved() {
      movedAt = performance.now()
    },
    end() {
      clearTimeout(timer)
    },
  }
}

/**
 * The element of the message in which an event happened. An album has parts outside of its tiles,
 * such as the caption of its last picture.
 */
export function findMessageElement(target: EventTarget | null) {
  const element =
    target instanceof Element
      ? target.closest<HTMLElement>('[data-message-id], [data-of-message]')
      : null
  const id = element?.dataset.messageId ?? element?.dataset.ofMessage
  return element && id ? { element, id } : undefined
}
