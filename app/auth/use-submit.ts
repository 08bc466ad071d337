import { useState } from 'react'

interface Submission {
  isBusy: boolean
  error: string | undefined
  /** Runs the work, one call at a time; a failure's message becomes `error`. */
  submit(work: () => Promise<void>): Promise<void>
  fail(words: string): void
  clearError(): void
}

/** A form's submit state: busy, its error, and clearing the error on the next key. */
export function useSubmit(fallback: string): Submission {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const submit = async (work: () => Promise<void>) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (cause) {
      setError(cause instanceof Error && cause.message ? cause.message : fallback)
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, error, submit, fail: setError, clearError: () => setError(undefined) }
}
