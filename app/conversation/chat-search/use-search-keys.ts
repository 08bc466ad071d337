import { useEffect } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { findOverlay } from '../../ui/layers/find-overlay.ts'

/** Ctrl+F and Ctrl+K (Cmd on a Mac) search the open chat, in place of the browser's search. */
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

/** A key's Latin letter; on non-Latin layouts, the letter at that key's position. */
function readLetter({ key, code }: KeyboardEvent): string {
  const isLatin = /^[a-z]$/i.test(key)
  return (isLatin ? key : code.replace(/^Key/, '')).toLowerCase()
}
