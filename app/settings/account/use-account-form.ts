import { useState } from 'react'
import { useSubmission } from '../../ui/forms/use-submission.ts'

export interface AccountFormState {
  /** In words for a person. */
  problem: string | undefined
  isBusy: boolean
  isDone: boolean
  submit(): void
}

const offlineWords =
  "You're offline. This change needs a connection; what you typed stays here until then."

/**
 * A form that changes the account: it needs the network, and keeps what was typed when that is away.
 * @param options.check what is wrong with the fields, in words
 * @param options.send rejects with words for a person
 */
export function useAccountForm(options: {
  isOffline(): boolean
  check(): string | undefined
  send(): Promise<unknown>
  fallback: string
}): AccountFormState {
  const { isOffline, check, send, fallback } = options
  const { problem, setProblem, isBusy, run } = useSubmission()
  const [isDone, setIsDone] = useState(false)

  async function change() {
    await send()
    setIsDone(true)
  }

  return {
    problem,
    isBusy,
    isDone,
    submit() {
      if (isBusy) return
      const found = check() ?? (isOffline() ? offlineWords : undefined)
      if (found) setProblem(found)
      else void run(change, (words) => (isOffline() ? offlineWords : words || fallback))
    },
  }
}
