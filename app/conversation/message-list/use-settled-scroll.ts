import { type RefObject, useCallback, useEffect, useRef } from 'react'

/** By then the rows around a place are measured, on a device that has little to do. */
const settleMs = 250
/** A row that is not rendered after this many looks (5 s) is not waited for. */
const looksMax = 20
const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
/** Before what the input does: that may scroll to another row. */
const before = { capture: true, passive: true }

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
export function useSettledScroll(
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
