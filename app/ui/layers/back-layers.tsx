import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../hooks/use-latest.ts'
import { areBackLayersBeingLeft, countBackLayers, setLayersClosing } from './leave-back-layers.ts'
import { BackLayersProvider } from './use-back-layer.ts'

interface BackLayersProps {
  /** False on screens that show more than one pane: there Back leaves the page as usual. */
  isOn: boolean
  children: ReactNode
}

/**
 * Lets Back close overlays before it leaves the page. Each open layer below adds a history entry
 * for the same page. Back skips an entry whose layer is gone, as after a reload.
 */
export function BackLayers({ isOn, children }: BackLayersProps) {
  const [layers, setLayers] = useState<readonly (() => void)[]>([])
  const add = useCallback((close: () => void) => {
    setLayers((now) => [...now, close])
    return () => setLayers((now) => now.filter((other) => other !== close))
  }, [])
  useHistoryEntries(isOn ? layers : [])
  return <BackLayersProvider value={add}>{children}</BackLayersProvider>
}

/** @param open the close function of each open layer, from the lowest to the highest */
function useHistoryEntries(open: readonly (() => void)[]): void {
  const latest = useLatest(open)
  const isOwnStep = useRef(false)
  const depth = open.length

  const follow = useLatest(() => {
    if (isOwnStep.current || areBackLayersBeingLeft()) return
    const entries = countBackLayers()
    for (let next = entries + 1; next <= depth; next++) {
      history.pushState({ ...history.state, backLayers: next }, '')
    }
    if (depth >= entries) return
    isOwnStep.current = true
    setLayersClosing(true)
    history.go(depth - entries)
  })

  useEffect(() => {
    if (depth !== countBackLayers()) follow.current()
  }, [depth, follow])

  useEffect(() => {
    const onPopState = () => {
      const wasOwn = isOwnStep.current
      isOwnStep.current = false
      if (wasOwn) setLayersClosing(false)
      if (wasOwn || countBackLayers() > latest.current.length) return follow.current()
      for (const close of latest.current.slice(countBackLayers()).reverse()) close()
    }
    addEventListener('popstate', onPopState)
    return () => removeEventListener('popstate', onPopState)
  }, [follow, latest])
}
