import { useCallback, useEffect, useState } from 'react'
import styles from './notice.module.css'

const shownMs = 5_000

/**
 * Reports a finished action unobtrusively, also to screen readers. Always mounted, so that screen
 * readers notice the change.
 */
export function Notice({ words }: { words: string }) {
  return (
    <div className={styles.place} role="status">
      {words && <p className={styles.notice}>{words}</p>}
    </div>
  )
}

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
