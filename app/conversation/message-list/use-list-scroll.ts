import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { ScrollToIndexOpts, VirtualizerHandle } from 'virtua'
import type { MessageWindow } from '../../database/views/message-window.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { usePress } from './use-press.ts'
import { useSettledScroll } from './use-settled-scroll.ts'

const atEndPx = 60
const loadAheadPx = 1_200

/** A row, and how much of it is above the visible area. */
interface RowPlace {
  index: number
  offsetPx: number
}

interface ListScrollOptions {
  scroller: RefObject<HTMLElement | null>
  view: ConversationView
  window: MessageWindow
  /** The number of rows, including the typing bubble. */
  rowCount: number
  /** The scroll position when the person left, to restore it. */
  place: RowPlace | undefined
  /** The row to start at otherwise; undefined for the end. */
  unreadIndex: number | undefined
  /** Is the row rendered and measured? */
  isRendered(index: number): boolean
}

/**
 * Controls the list's scroll position: starts at the first unread message, sticks to the end, and
 * loads pages ahead.
 */
export function useListScroll(
  list: RefObject<VirtualizerHandle | null>,
  options: ListScrollOptions,
) {
  const beginsAtEnd = options.place === undefined && options.unreadIndex === undefined
  const [isAtEnd, setIsAtEnd] = useState(beginsAtEnd)
  const sticks = useRef(beginsAtEnd)
  const isLoading = useRef(false)
  const isPlaced = useRef(false)
  const latest = useLatest(options)
  const onSettled = useRef(() => {})
  const { settleAt, stopSettling, isSettling } = useSettledScroll(options.scroller, onSettled)
  const onRelease = useRef(() => {})
  const isPressed = usePress(options.scroller, onRelease)

  const scrollToEnd = useCallback(() => {
    // Sending right after a jump must not scroll back to the jump's target.
    stopSettling()
    sticks.current = true
    setIsAtEnd(true)
    list.current?.scrollToIndex(latest.current.rowCount - 1, { align: 'end' })
  }, [list, latest, stopSettling])

  const load = useCallback(
    (direction: 'loadOlder' | 'loadNewer') => {
      if (isLoading.current) return
      isLoading.current = true
      latest.current.view[direction]().finally(() => {
        isLoading.current = false
      })
    },
    [latest],
  )

  /** Reads the scroll position, and loads what it needs. */
  const look = useCallback(() => {
    const handle = list.current
    if (!handle) return
    const { scrollOffset, scrollSize, viewportSize } = handle
    const fromEnd = scrollSize - scrollOffset - viewportSize
    const { window } = latest.current
    const isEnd = fromEnd < atEndPx && !window.hasNewer
    setIsAtEnd(isEnd)
    // While a jump settles, the old position must not make the list stick to the end.
    sticks.current = isEnd && !isSettling()
    if (isSettling()) return
    if (scrollOffset < loadAheadPx && window.hasOlder) load('loadOlder')
    if (fromEnd < loadAheadPx && window.hasNewer) load('loadNewer')
  }, [list, latest, load, isSettling])

  /**
   * Stops sticking to the end, and scrolls to a row until it stands there; loads nothing meanwhile.
   * @param findIndex of the row among the current ones; -1 without it
   */
  const settleAtRow = useCallback(
    (findIndex: () => number, where: ScrollToIndexOpts) => {
      sticks.current = false
      settleAt({
        scroll() {
          const index = findIndex()
          if (index !== -1) list.current?.scrollToIndex(index, where)
        },
        isDone: () => {
          const index = findIndex()
          return index === -1 || latest.current.isRendered(index)
        },
      })
    },
    [list, latest, settleAt],
  )

  /** Scrolls a row into the middle. */
  const scrollToRow = useCallback(
    (findIndex: () => number) => settleAtRow(findIndex, { align: 'center' }),
    [settleAtRow],
  )

  const onResize = useCallback(() => {
    if (!sticks.current) look()
    else if (!isPressed()) scrollToEnd()
  }, [look, scrollToEnd, isPressed])
  useLayoutEffect(() => {
    onSettled.current = look
    onRelease.current = onResize
  }, [look, onResize])

  const { rowCount, unreadIndex } = options
  useLayoutEffect(() => {
    if (rowCount === 0) return
    if (sticks.current && !isPressed()) {
      list.current?.scrollToIndex(rowCount - 1, { align: 'end' })
    }
    // An unread line that appears later does not scroll the list.
    if (isPlaced.current) return
    isPlaced.current = true
    const { place } = latest.current
    if (place) {
      const findIndex = () => latest.current.place?.index ?? -1
      settleAtRow(findIndex, { align: 'start', offset: place.offsetPx })
      return
    }
    if (unreadIndex === undefined) return
    const findIndex = () => latest.current.unreadIndex ?? -1
    settleAtRow(findIndex, { align: 'start', offset: -48 })
    // If everything fits, no scroll event ever reports that the end is visible.
    const frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [list, rowCount, unreadIndex, latest, look, settleAtRow, isPressed])

  return { isAtEnd, scrollToEnd, scrollToRow, onScroll: look, onResize }
}
