import { useLayoutEffect, useState } from 'react'
import { type ShownWindow, stepWindow } from './step-window.ts'

/**
 * The items in steps that the virtual list can take: a change of both ends takes two steps before
 * one paint.
 */
export function useSteppedWindow<T extends { _id: string }>(items: readonly T[]): ShownWindow<T> {
  const [kept, setShown] = useState<ShownWindow<T>>({
    items,
    goal: items,
    isShift: false,
    generation: 0,
  })
  const shown = kept.goal === items ? kept : stepWindow(kept, items)
  if (shown !== kept) setShown(shown)
  useLayoutEffect(() => {
    // A step is one render: a row that comes at the end later must not count as one at the start.
    if (shown.items !== shown.goal || shown.isShift)
      setShown({ ...shown, items: shown.goal, isShift: false })
  }, [shown])
  return shown
}
