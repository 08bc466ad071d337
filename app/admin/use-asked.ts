import { useCallback, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'

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
