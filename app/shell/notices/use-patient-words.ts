import { useEffect, useState } from 'react'
import type { ConnectionWords } from './describe-connection.ts'

const lateAfterMs = 2_000

/** The words after their delay: late words wait a moment, any that follow show immediately. */
export function usePatientWords(words: ConnectionWords | undefined): ConnectionWords | undefined {
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
