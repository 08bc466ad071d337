import { useCallback, useEffect, useState } from 'react'
import { useLatest } from '../ui/hooks/use-latest.ts'

/**
 * Loads when the page opens, and again on request. Offline the device's own record is enough.
 * @param options.isOffline called after a failed load
 */
export function useRefresh(options: { read: () => Promise<void>; isOffline: () => boolean }) {
  const latest = useLatest(options)
  const [hasFailed, setHasFailed] = useState(false)
  const retry = useCallback(() => {
    setHasFailed(false)
    const { read, isOffline } = latest.current
    read().catch(() => setHasFailed(!isOffline()))
  }, [latest])
  useEffect(retry, [retry])
  return { hasFailed, retry }
}
