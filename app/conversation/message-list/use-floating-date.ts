import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { MessageRow } from './build-message-rows.ts'
import type { FloatingDateHandle } from './floating-date.tsx'

interface FloatingDateOptions {
  rows: readonly MessageRow[]
  isAtEnd: boolean
}

/** The floating date's height from the top: a date header there replaces it. */
const reachPx = 44
const headerPx = 20

/** Updates the floating date when the person scrolls; the list's own moves show nothing. */
export function useFloatingDate(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
  options: FloatingDateOptions,
) {
  const date = useRef<FloatingDateHandle>(null)
  const isByHand = useRef(false)
  const latest = useLatest(options)

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const added = new AbortController()
    const setByHand = () => {
      isByHand.current = true
    }
    for (const name of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      element.addEventListener(name, setByHand, { passive: true, signal: added.signal })
    }
    return () => added.abort()
  }, [scroller])

  const onMove = useCallback(() => {
    const handle = list.current
    if (!handle || !isByHand.current) return
    const { rows, isAtEnd } = latest.current
    const index = handle.findItemIndex(handle.scrollOffset + reachPx)
    const isHeaderThere =
      rows[index]?.dayLabel !== undefined &&
      handle.getItemOffset(index) > handle.scrollOffset - headerPx
    const day = rows.findLast((row, place) => place <= index && row.dayLabel !== undefined)
    date.current?.show(isAtEnd || isHeaderThere ? undefined : day?.dayLabel)
  }, [list, latest])

  return { date, onMove }
}
