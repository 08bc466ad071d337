import { useCallback, useEffect, useState } from 'react'

const shownMs = 5_000

/** Words that say quietly what has been done, and go by themselves. */
export function useNotice() {
  const [words, setWords] = useState('')
  useEffect(() => {
    if (words === '') return
    const timer = setTimeout(() => setWords(''), shownMs)
    return () => clearTimeout(timer)
  }, [words])
  return { words, say: useCallback((next: string) => setWords(next), []) }
}
