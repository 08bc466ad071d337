import { useEffect, useState } from 'react'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { type ConnectionWords, describeConnection } from './describe-connection.ts'

const lateAfterMs = 2_000

/**
 * The current text about the connection, once its delay is over.
 * @param options.countsWaiting does it say how much waits?
 */
export function useConnectionWords({ countsWaiting = true } = {}): ConnectionWords | undefined {
  const connection = useLiveValue(useMessenger().connection)
  const counted = countsWaiting ? connection : { ...connection, pendingCount: 0 }
  return usePatientWords(describeConnection(counted))
}

/** The words after their delay: late words wait a moment, any that follow show immediately. */
function usePatientWords(words: ConnectionWords | undefined): ConnectionWords | undefined {
  const [isDue, setIsDue] = useState(false)
  const hasWords = words !== undefined
  const isLate = words?.isLate === true
  useEffect(() => {
    if (!hasWords) return setIsDue(false)
    const timer = setTimeout(() => setIsDue(true), isLate ? lateAfterMs : 0)
    return () => clearTimeout(timer)
  }, [hasWords, isLate])
  return isDue || !isLate ? words : undefined
}
