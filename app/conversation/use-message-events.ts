import { type RefObject, useEffect } from 'react'
import type { MenuPoint } from '../ui/menu-action.ts'
import { useLatest } from '../ui/use-latest.ts'

interface MessageEvents {
  onMenu(messageId: string, point: MenuPoint): void
  onHover(messageId: string | undefined): void
  onClick(messageId: string): void
}

const messageSelector = '[data-message-id]'
const longPressMs = 500
const slackPx = 10

/** One set of listeners for all messages of a list: right click, long press, keyboard, hover, click. */
export function useMessageEvents(
  container: RefObject<HTMLElement | null>,
  events: MessageEvents,
): void {
  const latest = useLatest(events)
  useEffect(() => {
    const element = container.current
    if (!element) return
    const press = { timer: setTimeout(() => {}, 0), x: 0, y: 0 }
    const listeners = {
      contextmenu(event: MouseEvent) {
        const message = findMessage(event.target)
        if (!message || wantsBrowserMenu(event)) return
        event.preventDefault()
        latest.current.onMenu(message.id, pointOf(event, message.element))
      },
      keydown(event: KeyboardEvent) {
        const message = findMessage(event.target)
        const isOnMessage = message?.element === event.target
        if (!message || !isOnMessage || (event.key !== 'Enter' && event.key !== ' ')) return
        event.preventDefault()
        latest.current.onMenu(message.id, cornerOf(message.element))
      },
      click(event: MouseEvent) {
        const message = findMessage(event.target)
        if (message) latest.current.onClick(message.id)
      },
      pointerover(event: PointerEvent) {
        if (event.pointerType === 'mouse') latest.current.onHover(findMessage(event.target)?.id)
      },
      pointerleave() {
        latest.current.onHover(undefined)
      },
      // Safari on a phone sends no `contextmenu` for a long press.
      pointerdown(event: PointerEvent) {
        const message = findMessage(event.target)
        if (!message || event.pointerType === 'mouse') return
        clearTimeout(press.timer)
        const { clientX: x, clientY: y } = event
        const open = () => latest.current.onMenu(message.id, { x, y })
        Object.assign(press, { x, y, timer: setTimeout(open, longPressMs) })
      },
      pointermove(event: PointerEvent) {
        const moved = Math.hypot(event.clientX - press.x, event.clientY - press.y)
        if (moved > slackPx) clearTimeout(press.timer)
      },
      pointerup: () => clearTimeout(press.timer),
      pointercancel: () => clearTimeout(press.timer),
    }
    const added = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => {
      clearTimeout(press.timer)
      added.abort()
    }
  }, [container, latest])
}

function findMessage(target: EventTarget | null) {
  const element = target instanceof Element ? target.closest<HTMLElement>(messageSelector) : null
  const id = element?.dataset.messageId
  return element && id ? { element, id } : undefined
}

/** On a link, and on text that is selected, the browser's own menu is of more use. */
function wantsBrowserMenu(event: MouseEvent): boolean {
  const isOnLink = event.target instanceof Element && event.target.closest('a') !== null
  return isOnLink || (getSelection()?.isCollapsed === false && event.button === 2)
}

function pointOf(event: MouseEvent, element: HTMLElement): MenuPoint {
  const isFromKeyboard = event.button !== 2 && event.detail === 0 && event.clientX === 0
  return isFromKeyboard ? cornerOf(element) : { x: event.clientX, y: event.clientY }
}

function cornerOf(element: HTMLElement): MenuPoint {
  const box = element.getBoundingClientRect()
  return { x: box.left + box.width / 2, y: box.top + Math.min(box.height, 40) }
}
