import { useEffect } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { findOverlay } from '../../ui/layers/find-overlay.ts'
import { isShortcut } from '../../ui/shortcuts/shortcuts.ts'

/** Ctrl+F and Ctrl+K (Cmd on a Mac) search the open chat, in place of the browser's search. */
export function useSearchKeys(onSearch: () => void): void {
  const latest = useLatest(onSearch)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event, 'search') || findOverlay()) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [latest])
}
