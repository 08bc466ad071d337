import { useCallback, useEffect, useState } from 'react'
import { useLatest } from '../ui/use-latest.ts'

/** Reads once when the page opens, and again when asked. Without a network the device's own record is enough. */
export function useRefresh(read: () => Promise<void>) {
  const latest = useLatest(read)
  const [hasFailed, setHasFailed] = useState(false)
  const retry = useCallback(() => {
    setHasFailed(false)
    latest.current().catch(() => setHasFailed(navigator.onLine))
  }, [latest])
  useEffect(retry, [retry])
  return { hasFailed, retry }
}
