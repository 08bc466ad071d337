import { Content, Portal, Provider, Root, Trigger } from 'radix-ui/tooltip'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { findOverlay } from '../layers/find-focus-path.ts'
import type { MouseRest } from './mouse-rest.ts'
import styles from './tooltip-layer.module.css'

const showAfterMs = 500

/** Long enough to move the pointer onto the tooltip itself. */
const hideAfterMs = 120

/** The open tooltip, next to its control. */
export function TooltipLayer({ mouse }: { mouse: MouseRest }) {
  const { owner, hide } = useTooltipOwner(mouse)
  if (!owner) return null
  const { left, top, width, height } = owner.element.getBoundingClientRect()
  return (
    <Provider disableHoverableContent>
      <Root key={owner.text} open onOpenChange={(isOpen) => !isOpen && hide()}>
        <Trigger asChild>
          <span
            className={styles.anchor}
            style={{ left, top, width, height }}
            tabIndex={-1}
            aria-hidden="true"
          />
        </Trigger>
        <Portal>
          <Content
            className={styles.tooltip}
            // Above an icon of a column lies the next icon.
            side={owner.element.dataset.tooltipSide === 'right' ? 'right' : 'top'}
            sideOffset={6}
            collisionPadding={8}
            data-tooltip-layer=""
          >
            {owner.text}
          </Content>
        </Portal>
      </Root>
    </Provider>
  )
}

interface TooltipOwner {
  element: HTMLElement
  text: string
}

/**
 * The control whose tooltip shows: the pointer rests on it or on its tooltip, or it just got
 * keyboard focus. The tooltip lets the pointer through, so that it blocks no control beneath.
 */
function useTooltipOwner(mouse: MouseRest) {
  const [owner, setOwner] = useState<TooltipOwner>()
  const shown = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const wait = { element: undefined as HTMLElement | undefined, timer: setTimeout(() => {}, 0) }
    const show = (element: HTMLElement | undefined) => {
      shown.current = element
      setOwner(describeOwner(element))
    }
    const change = (element: HTMLElement | undefined, afterMs: number) => {
      clearTimeout(wait.timer)
      wait.element = element
      wait.timer = setTimeout(show, afterMs, element)
    }
    const follow = (event: Event) => {
      if (!(event instanceof PointerEvent) || event.pointerType !== 'mouse') return
      if (mouse.move(event)) return
      const element =
        findElement(event.target) ?? (isOverTooltip(event) ? shown.current : undefined)
      if (element === wait.element) return
      // While one shows, the next one's takes its place at once.
      change(element, element && !shown.current ? showAfterMs : hideAfterMs)
    }
    const hide = () => {
      clearTimeout(wait.timer)
      wait.element = undefined
      shown.current = undefined
      // Synchronously: an open tooltip would take the Escape meant for the layer beneath.
      flushSync(() => setOwner(undefined))
    }
    const listeners: { [name: string]: (event: Event) => void } = {
      pointerover: follow,
      // The tooltip lets the pointer through: entering and leaving it gives no other event.
      pointermove: (event) => (shown.current || mouse.isResting()) && follow(event),
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
    else if (first && !mouse.isResting()) change(first, showAfterMs)
    return () => {
      clearTimeout(wait.timer)
      added.abort()
    }
  }, [mouse])
  function hide() {
    shown.current = undefined
    setOwner(undefined)
  }
  return { owner, hide }
}

function findElement(target: EventTarget | null): HTMLElement | undefined {
  const element =
    target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : undefined
  const overlay = findOverlay()
  return element && (!overlay || overlay.contains(element)) ? element : undefined
}

function isOverTooltip({ clientX, clientY }: PointerEvent): boolean {
  const box = document.querySelector('[data-tooltip-layer]')?.getBoundingClientRect()
  if (!box) return false
  const isBeside = clientX < box.left || clientX > box.right
  return !isBeside && clientY >= box.top && clientY <= box.bottom
}

function describeOwner(element: HTMLElement | undefined): TooltipOwner | undefined {
  const text = element?.dataset.tooltip
  return element?.isConnected && text ? { element, text } : undefined
}
