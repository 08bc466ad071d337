import { lazy, Suspense, useEffect, useState } from 'react'
import { createMouseRest } from './mouse-rest.ts'

const loadTooltipLayer = () =>
  import('./tooltip-layer.tsx').then((module) => ({ default: module.TooltipLayer }))
const TooltipLayer = lazy(loadTooltipLayer)

/** The tooltips of all elements with `data-tooltip`. Loads their code when the first one opens. */
export function Tooltips() {
  const [isWanted, setIsWanted] = useState(false)
  const [mouse] = useState(createMouseRest)
  useEffect(() => {
    const look = (event: Event) => {
      const { target } = event
      if (event instanceof PointerEvent && event.pointerType === 'mouse') mouse.move(event)
      if (target instanceof Element && target.closest('[data-tooltip]')) setIsWanted(true)
    }
    const listeners: { [name: string]: (event: Event) => void } = {
      pointerover: look,
      focusin: look,
      pointerdown: (event) => event instanceof PointerEvent && mouse.press(event),
      keydown: () => mouse.press(),
    }
    const added = new AbortController()
    const options = { capture: true, signal: added.signal }
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name, listener, options)
    }
    return () => added.abort()
  }, [mouse])
  return (
    isWanted && (
      <Suspense fallback={null}>
        <TooltipLayer mouse={mouse} />
      </Suspense>
    )
  )
}
