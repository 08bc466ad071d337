import { lazy, Suspense, useEffect, useState } from 'react'

const loadTooltipLayer = () =>
  import('./tooltip-layer.tsx').then((module) => ({ default: module.TooltipLayer }))
const TooltipLayer = lazy(loadTooltipLayer)

/** The tooltips of all elements with `data-tooltip`. Loads their code when the first one opens. */
export function Tooltips() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => {
    if (isWanted) return
    const look = ({ target }: Event) => {
      if (target instanceof Element && target.closest('[data-tooltip]')) setIsWanted(true)
    }
    document.addEventListener('pointerover', look)
    document.addEventListener('focusin', look)
    return () => {
      document.removeEventListener('pointerover', look)
      document.removeEventListener('focusin', look)
    }
  }, [isWanted])
  return (
    isWanted && (
      <Suspense fallback={null}>
        <TooltipLayer />
      </Suspense>
    )
  )
}
