import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { findOverlay } from '../layers/find-overlay.ts'

const showAfterMs = 500
/** Long enough to move the pointer onto the tooltip itself. */
const hideAfterMs = 120

export interface TooltipOwner {
  element: HTMLElement
  text: string
}

/** The control whose tooltip shows: the pointer rests on it, or it just got keyboard focus. */
export function useTooltipOwner() {
  const [owner, setOwner] = useState<TooltipOwner>()
  useEffect(() => {
    const wait = { element: undefined as HTMLElement | undefined, timer: setTimeout(() => {}, 0) }
    const change = (element: HTMLElement | undefined, afterMs: number) => {
      clearTimeout(wait.timer)
      wait.element = element
      wait.timer = setTimeout(() => setOwner(describeOwner(element)), afterMs)
    }
    const hide = () => {
      clearTimeout(wait.timer)
      wait.element = undefined
      // Synchronously: an open tooltip would take the Escape meant for the layer beneath.
      flushSync(() => setOwner(undefined))
    }
    const listeners: { [name: string]: (event: Event) => void } = {
      pointerover(event) {
        const isMouse = event instanceof PointerEvent && event.pointerType === 'mouse'
        if (!isMouse || isTooltip(event.target))
          return isMouse ? clearTimeout(wait.timer) : undefined
        const element = findElement(event.target)
        if (element !== wait.element) change(element, element ? showAfterMs : hideAfterMs)
      },
      focusin(event) {
        const element = findElement(event.target)
        if (element === event.target && element?.matches(':focus-visible')) change(element, 0)
      },
      focusout: hide,
      pointerdown: hide,
      keydown: hide,
      scroll: hide,
    }
    const added = new AbortController()
    const options = { capture: true, signal: added.signal }
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name, listener, options)
    }
    const first = document.querySelector<HTMLElement>('[data-tooltip]:hover')
    const focused = document.querySelector<HTMLElement>('[data-tooltip]:focus-visible')
    if (focused) change(focused, 0)
    else if (first) change(first, showAfterMs)
    return () => {
      clearTimeout(wait.timer)
      added.abort()
    }
  }, [])
  return { owner, hide: () => setOwner(undefined) }
}

function findElement(target: EventTarget | null): HTMLElement | undefined {
  const element =
    target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : undefined
  const overlay = findOverlay()
  return element && (!overlay || overlay.contains(element)) ? element : undefined
}

function isTooltip(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-radix-popper-content-wrapper]') !== null
}

function describeOwner(element: HTMLElement | undefined): TooltipOwner | undefined {
  const text = element?.dataset.tooltip
  return element?.isConnected && text ? { element, text } : undefined
}
