import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { MessageWindow } from '../../database/views/message-window.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'

const atEndPx = 60
const loadAheadPx = 1_200
/** Rows around a place are measured by then. */
const settleMs = 250

/** A row, and how much of it lies above what is in sight. */
interface RowPlace {
  index: number
  offsetPx: number
}

interface ListScrollOptions {
  view: ConversationView
  window: MessageWindow
  /** How many rows are drawn, the typing bubble among them. */
  rowCount: number
  /** Where it stood when it was left, to begin there. */
  place: RowPlace | undefined
  /** Where else to begin; undefined for the end. */
  unreadIndex: number | undefined
}

/** Where the list stands: it begins at the first unread, sticks to the end, and fetches what comes into sight. */
export function useListScroll(
  list: RefObject<VirtualizerHandle | null>,
  options: ListScrollOptions,
) {
  const beginsAtEnd = options.place === undefined && options.unreadIndex === undefined
  const [isAtEnd, setIsAtEnd] = useState(beginsAtEnd)
  const sticks = useRef(beginsAtEnd)
  const isLoading = useRef(false)
  const isPlaced = useRef(false)
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useLatest(options)

  const stopSettling = useCallback(() => {
    clearTimeout(settling.current)
    settling.current = undefined
  }, [])

  const scrollToEnd = useCallback(() => {
    // Whoever sends at once after a jump is not taken back to where that led.
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

  /** Where the list stands now, and what to fetch because of it. */
  const look = useCallback(() => {
    const handle = list.current
    if (!handle) return
    const { scrollOffset, scrollSize, viewportSize } = handle
    const fromEnd = scrollSize - scrollOffset - viewportSize
    const { window } = latest.current
    const isEnd = fromEnd < atEndPx && !window.hasNewer
    setIsAtEnd(isEnd)
    // What is still seen of the place before a jump holds nobody at the end.
    sticks.current = isEnd && settling.current === undefined
    if (settling.current !== undefined) return
    if (scrollOffset < loadAheadPx && window.hasOlder) load('loadOlder')
    if (fromEnd < loadAheadPx && window.hasNewer) load('loadNewer')
  }, [list, latest, load])

  /**
   * From here on the end is not held on to. Rows that come before those around the place are measured move it away from
   * there, so nothing is fetched meanwhile, and what was on its way is made up for.
   */
  const settleAt = useCallback(
    (scroll: () => void) => {
      sticks.current = false
      scroll()
      stopSettling()
      settling.current = setTimeout(() => {
        settling.current = undefined
        scroll()
        look()
      }, settleMs)
    },
    [look, stopSettling],
  )

  /**
   * Into the middle.
   * @param findIndex of its row among those that are there at the moment; -1 without it
   */
  const scrollToRow = useCallback(
    (findIndex: () => number) =>
      settleAt(() => {
        const index = findIndex()
        if (index !== -1) list.current?.scrollToIndex(index, { align: 'center' })
      }),
    [list, settleAt],
  )
  useEffect(() => stopSettling, [stopSettling])

  const onResize = useCallback(() => {
    if (sticks.current) scrollToEnd()
    else look()
  }, [look, scrollToEnd])

  const { rowCount, unreadIndex } = options
  useLayoutEffect(() => {
    if (rowCount === 0) return
    if (sticks.current) list.current?.scrollToIndex(rowCount - 1, { align: 'end' })
    // A line that is drawn later on moves nobody.
    if (isPlaced.current) return
    isPlaced.current = true
    if (latest.current.place) {
      settleAt(() => {
        const { place } = latest.current
        if (!place) return
        list.current?.scrollToIndex(place.index, { align: 'start', offset: place.offsetPx })
      })
      return
    }
    if (unreadIndex === undefined) return
    list.current?.scrollToIndex(unreadIndex, { align: 'start', offset: -48 })
    // Where all of it fits, nothing scrolls, and nothing would tell that the end is in sight.
    const frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [list, rowCount, unreadIndex, latest, look, settleAt])

  return { isAtEnd, scrollToEnd, scrollToRow, onScroll: look, onResize }
}
