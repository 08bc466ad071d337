import { useEffect } from 'react'
import { isComposing } from '../forms/insert-text.ts'
import { useLatest } from '../hooks/use-latest.ts'
import { findOverlay } from './find-focus-path.ts'

/** The functions that Escape may call, the newest last. */
const layers: object[] = []

/**
 * Handles Escape anywhere on the page unless a dialog, menu or input method has handled it. What was
 * opened last closes first.
 */
export function useEscape(isOn: boolean, onEscape: () => void): void {
  const latest = useLatest(onEscape)
  useEffect(() => {
    if (!isOn) return
    layers.push(latest)
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event) || event.defaultPrevented) return
      if (layers.at(-1) !== latest || findOverlay()) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      layers.splice(layers.indexOf(latest), 1)
    }
  }, [isOn, latest])
}
