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
/** So much of a message has to be in sight. */
const shownPx = 24

/** Tells what is in sight, soon after the list has moved or grown. Call what it returns when the list moves. */
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
    // Not put off by the next move: somebody who scrolls on and on reads too.
    timer.current ??= setTimeout(tell, settleMs)
  }, [tell])

  const { rows, isAtEnd } = options
  useEffect(() => {
    if (isAtEnd) return
    // At once: whoever has left the end does not see what comes in before a scroll has settled.
    latest.current.onSight({ upTo: 0, holdsEnd: false })
  }, [isAtEnd, latest])
  useEffect(() => {
    if (rows.length > 0 && isAtEnd) tell()
    else look()
  }, [rows, isAtEnd, look, tell])
  useEffect(() => () => clearTimeout(timer.current), [])
  return look
}
