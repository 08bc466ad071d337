import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ScrollToIndexOpts, VirtualizerHandle } from 'virtua'
import type { MessageWindow } from '../../database/views/message-window.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { watchPress } from '../../ui/hooks/watch-press.ts'

/** By then the rows around a place are measured, on a device that has little to do. */
const settleMs = 250

/** A row that is not rendered after this many looks (5 s) is not waited for. */
const looksMax = 20

const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Before what the input does: that may scroll to another row. */
const before = { capture: true, passive: true }

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

/**
 * Knows whether a pointer is down on an element.
 * @param onRelease is called after the click, not when the press becomes a scroll
 */
function usePress(element: RefObject<HTMLElement | null>, onRelease: RefObject<() => void>) {
  const isDown = useRef(false)

  useEffect(() => {
    const pressed = element.current
    if (!pressed) return
    return watchPress(pressed, {
      onPress: () => {
        isDown.current = true
      },
      onRelease: () => {
        isDown.current = false
        onRelease.current()
      },
      onCancel: () => {
        isDown.current = false
      },
    })
  }, [element, onRelease])

  return useCallback(() => isDown.current, [])
}

interface SettledScroll {
  /** Scrolls to the row; does nothing if it is not loaded. */
  scroll(): void
  /** Is the row rendered and measured, or gone? */
  isDone(): boolean
}

/**
 * Scrolls to a row until it stands there. Measuring the rows around it moves the list away from it,
 * and how long that takes depends on the device: so this scrolls again and again until the row is
 * measured. Input of the person ends it, so that the list does not go back under their finger.
 * @param onSettled is called when the row stands there, or is given up
 */
function useSettledScroll(
  scroller: RefObject<HTMLElement | null>,
  onSettled: RefObject<() => void>,
) {
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined)

  const stopSettling = useCallback(() => {
    clearTimeout(settling.current)
    settling.current = undefined
  }, [])

  const settleAt = useCallback(
    ({ scroll, isDone }: SettledScroll) => {
      const waitFor = (looksLeft: number) => {
        settling.current = setTimeout(() => {
          scroll()
          if (looksLeft > 1 && !isDone()) waitFor(looksLeft - 1)
          else {
            settling.current = undefined
            onSettled.current()
          }
        }, settleMs)
      }

      stopSettling()
      scroll()
      waitFor(looksMax)
    },
    [onSettled, stopSettling],
  )

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const onInput = () => {
      if (settling.current === undefined) return
      stopSettling()
      onSettled.current()
    }
    for (const input of inputs) element.addEventListener(input, onInput, before)
    return () => {
      for (const input of inputs) element.removeEventListener(input, onInput, before)
    }
  }, [scroller, onSettled, stopSettling])
  useEffect(() => stopSettling, [stopSettling])

  const isSettling = useCallback(() => settling.current !== undefined, [])
  return { settleAt, stopSettling, isSettling }
}
