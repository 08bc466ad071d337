import { useEffect, useState } from 'react'
import { usePageAttention } from './use-page-attention.ts'

/** What comes into the open chat is marked as read within a second: only what stays longer is worth a number. */
const patienceMs = 1_500

/** A count of what is unread; in the chat that somebody looks at, it grows only when it stays grown. */
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
