import { useEffect, useRef } from 'react'
import { countBackLayers } from './count-back-layers.ts'
import { useLatest } from './use-latest.ts'

export interface BackLayer {
  isOpen: boolean
  close(): void
}

/**
 * Lets Back close what lies over a page before it leaves the page: each open layer is one more entry in the
 * browser's history, of the same page. An entry whose layer has gone, as after a reload, is stepped over.
 *
 * @param layers from the lowest to the highest
 * @param isOn false where a screen shows more than one thing, and Back leaves it as it does elsewhere
 */
export function useBackLayers(layers: readonly BackLayer[], isOn: boolean): void {
  const open = isOn ? layers.filter((layer) => layer.isOpen) : []
  const latest = useLatest(open)
  const isOwnStep = useRef(false)
  const depth = open.length

  const follow = useLatest(() => {
    if (isOwnStep.current) return
    const entries = countBackLayers()
    for (let next = entries + 1; next <= depth; next++) {
      history.pushState({ ...history.state, backLayers: next }, '')
    }
    if (depth >= entries) return
    isOwnStep.current = true
    history.go(depth - entries)
  })

  useEffect(() => {
    if (depth !== countBackLayers()) follow.current()
  }, [depth, follow])

  useEffect(() => {
    const onPopState = () => {
      const wasOwn = isOwnStep.current
      isOwnStep.current = false
      if (wasOwn || countBackLayers() > latest.current.length) return follow.current()
      for (const layer of latest.current.slice(countBackLayers()).reverse()) layer.close()
    }
    addEventListener('popstate', onPopState)
    return () => removeEventListener('popstate', onPopState)
  }, [follow, latest])
}
