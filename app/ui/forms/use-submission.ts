import { useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'

/** What a form does when it is submitted, which may fail. */
export interface Submission {
  /** Words for a person. */
  problem: string | undefined
  setProblem(words: string | undefined): void
  isBusy: boolean
  /** @param describe makes the problem's words of the failure's */
  run(work: () => Promise<unknown>, describe?: (words: string) => string): Promise<void>
}

export function useSubmission(): Submission {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  return {
    problem,
    setProblem,
    isBusy,
    async run(work, describe = (words) => words) {
      setProblem(undefined)
      setIsBusy(true)
      try {
        await work()
      } catch (cause) {
        setProblem(describe(wordsOf(cause)))
      } finally {
        setIsBusy(false)
      }
    },
  }
}
