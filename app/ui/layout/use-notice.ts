import { useCallback, useEffect, useState } from 'react'

const shownMs = 5_000

/** Text that reports a finished action and disappears by itself. */
export function useNotice() {
  const [words, setWords] = useState('')
  useEffect(() => {
    if (words === '') return
    const timer = setTimeout(() => setWords(''), shownMs)
    return () => clearTimeout(timer)
  }, [words])
  return { words, say: useCallback((next: string) => setWords(next), []) }
}
