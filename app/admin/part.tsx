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
