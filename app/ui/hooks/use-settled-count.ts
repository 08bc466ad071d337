import { useEffect, useState, useSyncExternalStore } from 'react'

/** The open chat marks an arriving message as read within a second: only longer counts show. */
const patienceMs = 1_500

/**
 * An unread count; for the chat that the person is looking at, an increase shows only once it
 * lasts.
 */
export function useSettledCount(count: number, isOpen: boolean): number {
  const hasAttention = usePageAttention()
  const [settled, setSettled] = useState(count)
  const isAwaited = isOpen && hasAttention && count > settled
  useEffect(() => {
    if (!isAwaited) return setSettled(count)
    const timer = setTimeout(() => setSettled(count), patienceMs)
    return () => clearTimeout(timer)
  }, [count, isAwaited])
  return isAwaited ? settled : count
}

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
