import { useSyncExternalStore } from 'react'

/** Is the page visible and focused? */
export function usePageAttention(): boolean {
  return useSyncExternalStore(subscribe, hasAttention)
}

function hasAttention(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  addEventListener('focus', listener)
  addEventListener('blur', listener)
  return () => {
    document.removeEventListener('visibilitychange', listener)
    removeEventListener('focus', listener)
    removeEventListener('blur', listener)
  }
}
