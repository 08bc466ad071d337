import { useEffect } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { findOverlay } from '../../ui/layers/find-overlay.ts'

/** Ctrl+F and Ctrl+K (with Cmd on a Mac) begin a search in the open chat, in place of the browser's own. */
export function useSearchKeys(onSearch: () => void): void {
  const latest = useLatest(onSearch)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (!['f', 'k'].includes(readLetter(event)) || findOverlay()) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [latest])
}

/** The Latin letter of a key; where the layout has none, the one that stands there on a Latin keyboard. */
function readLetter({ key, code }: KeyboardEvent): string {
  const isLatin = /^[a-z]$/i.test(key)
  return (isLatin ? key : code.replace(/^Key/, '')).toLowerCase()
}
