import { type ReactNode, useState } from 'react'
import { LazyAlertDialog } from './lazy-alert-dialog.tsx'

/**
 * For an action that the device may fail to store, as on a full disk. Render `failure` anywhere.
 */
export function useAttempt(): {
  /** @param words what failed, as a sentence without its full stop */
  attempt(work: Promise<unknown>, words: string): void
  failure: ReactNode
} {
  const [text, setText] = useState<string>()
  return {
    attempt: (work, words) => void work.catch(() => setText(`${words}. Please try again.`)),
    failure: text && <LazyAlertDialog text={text} onClose={() => setText(undefined)} />,
  }
}
