import { useEffect } from 'react'
import { isComposing } from '../fields/is-composing.ts'
import { useLatest } from '../hooks/use-latest.ts'
import { findOverlay } from './find-overlay.ts'

/** Handles Escape anywhere on the page unless a dialog, menu or input method has handled it. */
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
