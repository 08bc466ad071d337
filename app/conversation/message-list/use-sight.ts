import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { VisibleRange } from '../../database/views/reading.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { MessageRow } from './build-message-rows.ts'

interface SightOptions {
  rows: readonly MessageRow[]
  isAtEnd: boolean
  onSight(sight: VisibleRange): void
}

const settleMs = 150
/** The visible height from which a message counts as seen. */
const shownPx = 24

/**
 * Reports the visible range soon after the list has moved or grown. Call the returned function when
 * the list moves.
 */
export function useSight(
  list: RefObject<VirtualizerHandle | null>,
  options: SightOptions,
): () => void {
  const latest = useLatest(options)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const tell = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = undefined
    const { rows, isAtEnd, onSight } = latest.current
    const handle = list.current
    if (!handle) return
    const bottom = handle.scrollOffset + handle.viewportSize - shownPx
    const last = isAtEnd ? rows.length - 1 : handle.findItemIndex(bottom)
    const newest = rows.findLast(
      ({ message }, index) => index <= last && message.senderId === message.peerId,
    )
    onSight({ upTo: newest?.message.orderedAt ?? 0, holdsEnd: isAtEnd })
  }, [list, latest])

  const look = useCallback(() => {
    // A throttle, not a debounce: a person who scrolls continuously reads too.
    timer.current ??= setTimeout(tell, settleMs)
  }, [tell])

  const { rows, isAtEnd } = options
  useEffect(() => {
    if (isAtEnd) return
    // Immediately: after leaving the end, the person does not see arrivals while a scroll settles.
    latest.current.onSight({ upTo: 0, holdsEnd: false })
  }, [isAtEnd, latest])
  useEffect(() => {
    if (rows.length > 0 && isAtEnd) tell()
    else look()
  }, [rows, isAtEnd, look, tell])
  useEffect(() => () => clearTimeout(timer.current), [])
  return look
}
