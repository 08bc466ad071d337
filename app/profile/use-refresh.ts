import { useCallback, useEffect, useState } from 'react'
import { useLatest } from '../ui/hooks/use-latest.ts'

/**
 * Reads once when the page opens, and again when asked. Without a network the device's own record is enough.
 * @param options.isOffline asked when a reading has failed
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
