import { type FormEvent, useState } from 'react'

export interface AccountFormState {
  /** In words for a person. */
  error: string | undefined
  state: 'typing' | 'busy' | 'done'
  onSubmit(event: FormEvent): void
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
  const [error, setError] = useState<string>()
  const [state, setState] = useState<AccountFormState['state']>('typing')

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (state === 'busy') return
    const problem = check() ?? (isOffline() ? offlineWords : undefined)
    setError(problem)
    if (problem) return
    setState('busy')
    try {
      await send()
      setState('done')
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : ''
      setError(isOffline() ? offlineWords : words || fallback)
      setState('typing')
    }
  }
  return { error, state, onSubmit: (event: FormEvent) => void submit(event) }
}
