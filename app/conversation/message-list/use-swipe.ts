import { type RefObject, useEffect, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { findMessageElement } from './find-message-element.ts'
import { createSwipe } from './swipe.ts'

interface SwipeOptions {
  canSwipe(messageId: string): boolean
  /** Called with the message being pulled; undefined on release. */
  onPull(messageId: string | undefined): void
  /** Called when the pull is far enough. */
  onReply(messageId: string): void
}

/**
 * Lets a finger pull a message to the right for a reply. `--pulled-px` and `--pulled` (0–1) hold
 * the distance.
 * @returns ends the swipe that may have begun, as when the finger has opened a menu
 */
export function useSwipe(
  container: RefObject<HTMLElement | null>,
  options: SwipeOptions,
): () => void {
  const latest = useLatest(options)
  const [swipe] = useState(createSwipe)
  useEffect(() => {
    const element = container.current
    if (!element) return

    function pullOf(target: EventTarget | null) {
      const message = findMessageElement(target)
      if (!message || !latest.current.canSwipe(message.id)) return undefined
      const { style } = message.element
      return {
        onPull(px: number, share: number) {
          style.setProperty('--pulled-px', `${px}px`)
          style.setProperty('--pulled', String(share))
          latest.current.onPull(message.id)
        },
        onEnd(isFar: boolean) {
          style.removeProperty('--pulled-px')
          style.removeProperty('--pulled')
          latest.current.onPull(undefined)
          if (isFar) latest.current.onReply(message.id)
        },
      }
    }

    const listeners = {
      pointerdown: (event: PointerEvent) => swipe.begin(event, pullOf(event.target)),
      pointermove: swipe.move,
      pointerup: swipe.end,
      pointercancel: swipe.cancel,
    }
    const added = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => {
      swipe.cancel()
      added.abort()
    }
  }, [container, latest, swipe])
  return swipe.cancel
}
