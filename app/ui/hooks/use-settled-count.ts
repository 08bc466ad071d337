import { useEffect, useState } from 'react'
import { usePageAttention } from './use-page-attention.ts'

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
