import { useEffect, useState } from 'react'

/** Has this been true for so long? What is over in a moment should not make anything flash. */
export function useLasting(isTrue: boolean, ms: number): boolean {
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    if (!isTrue) return setIsDue(false)
    const timer = setTimeout(() => setIsDue(true), ms)
    return () => clearTimeout(timer)
  }, [isTrue, ms])
  return isTrue && isDue
}
