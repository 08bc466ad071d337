import { useCallback, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { AdminCalls } from '../api/admin-calls.ts'
import { Button } from '../ui/buttons/button.tsx'
import styles from './admin.module.css'

/** What every part of administration is given. */
export interface PartProps {
  calls: AdminCalls
  /** Shows what was done. */
  onSaid(words: string | undefined): void
  /** Asks whether this session is still open. */
  onProblem(): Promise<void>
}

/** Why a list did not come, with another try. */
export function Problem(props: { words: string | undefined; onAgain?(): Promise<void> }) {
  const { words, onAgain } = props
  if (words === undefined) return null
  return (
    <div className={styles.problem}>
      <p role="alert">{words}</p>
      {onAgain && (
        <Button look="quiet" onClick={() => void onAgain()}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** What the server answers: the last answer stays while it is asked again. */
export function useAsked<Answer>(ask: () => Promise<Answer>) {
  const [answer, setAnswer] = useState<Answer>()
  const [problem, setProblem] = useState<string>()
  /** An answer that comes after a later one counts for nothing. */
  const latest = useRef(0)

  const load = useCallback(async () => {
    const turn = ++latest.current
    try {
      const given = await ask()
      if (turn !== latest.current) return
      setAnswer(given)
      setProblem(undefined)
    } catch (cause) {
      if (turn === latest.current) setProblem(wordsOf(cause))
    }
  }, [ask])

  useEffect(() => {
    void load()
    return () => {
      latest.current++
    }
  }, [load])

  return { answer, problem, load }
}
