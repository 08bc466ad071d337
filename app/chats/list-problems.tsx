import type { Messenger } from '../sync/messenger-types.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import styles from './chat-list-panel.module.css'

/**
 * The server's failures, beneath the list; the device's data stays. Being offline is no failure.
 */
export function ListProblems({ messenger }: { messenger: Messenger }) {
  const { state, words } = useLiveValue(messenger.connection)
  const usersProblem = useLiveValue(messenger.users.problem)
  const isReachable = state === 'live' || state === 'trouble'
  return (
    <div role="status">
      {state === 'trouble' && (
        <p className={styles.problem}>Failed to load conversations: {words}</p>
      )}
      {isReachable && usersProblem && (
        <p className={styles.problem}>Failed to load users: {usersProblem}</p>
      )}
    </div>
  )
}
