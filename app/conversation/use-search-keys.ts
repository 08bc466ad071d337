import { useEffect } from 'react'
import { useLatest } from '../ui/use-latest.ts'

/** Ctrl+F and Ctrl+K (with Cmd on a Mac) begin a search in the open chat, in place of the browser's own. */
export function useSearchKeys(onSearch: () => void): void {
  const latest = useLatest(onSearch)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isOurs = event.key.toLowerCase() === 'f' || event.key.toLowerCase() === 'k'
      if (!isOurs || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [latest])
}
