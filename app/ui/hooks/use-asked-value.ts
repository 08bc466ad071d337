import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { type LiveSource, useLiveValue } from './use-live-value.ts'

interface AskOptions {
  isLive: boolean
  /** Calls back when something may be new. @returns ends it */
  onHint?: ((listener: () => void) => () => void) | undefined
}

/**
 * What a server says: what is known of it at once, and asked for again with each connection.
 * `problem`: why the last question had no answer, in words.
 */
export function useAskedValue<Known>(
  asked: LiveSource<Known> & { refresh(): Promise<void> },
  { isLive, onHint }: AskOptions,
): { known: Known; problem: string | undefined } {
  const known = useLiveValue(asked)
  const [problem, setProblem] = useState<string>()
  // Asked without a connection, too: it fails at once then, and reads what is kept.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection asks again
  useEffect(() => {
    let isHere = true
    const settle = (words?: string) => isHere && setProblem(words)
    const ask = () =>
      void asked.refresh().then(
        () => settle(),
        (cause: unknown) => settle(wordsOf(cause)),
      )
    ask()
    const stop = onHint?.(ask)
    return () => {
      isHere = false
      stop?.()
    }
  }, [asked, isLive, onHint])
  return { known, problem }
}
