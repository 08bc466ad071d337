import { useEffect } from 'react'
import { isComposing } from '../fields/is-composing.ts'
import { useLatest } from '../hooks/use-latest.ts'
import { findOverlay } from './find-overlay.ts'

/** Escape anywhere on the page, unless something else has taken it: a dialog, a menu, an input method. */
export function useEscape(isOn: boolean, onEscape: () => void): void {
  const latest = useLatest(onEscape)
  useEffect(() => {
    if (!isOn) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event) || event.defaultPrevented) return
      if (findOverlay()) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOn, latest])
}
