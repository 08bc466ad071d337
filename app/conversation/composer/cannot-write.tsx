import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { useAttempt } from '../../ui/dialogs/use-attempt.tsx'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import styles from './cannot-write.module.css'
import type { WriteObstacle } from './use-write-obstacle.ts'

interface CannotWriteProps {
  messenger: Messenger
  peerId: string
  peerName: string
  obstacle: WriteObstacle
}

/** In the composer's place: why nothing can be written, and what helps. */
export function CannotWrite({ messenger, peerId, peerName, obstacle }: CannotWriteProps) {
  const { requests, connection } = messenger
  const { attempt, failure } = useAttempt()
  const isWaiting = useLivePart(requests.entries, (entries) =>
    entries.some(({ request, state }) => isBlockOf(request, peerId) && state === 'waiting'),
  )
  const isLive = useLivePart(connection, ({ state }) => state === 'live')
  if (obstacle === 'deleted') {
    return (
      <div className={styles.bar} role="status">
        <p>This account was deleted. You can't send messages here.</p>
      </div>
    )
  }
  const unblock = () => requests.add({ kind: 'block', userId: peerId, blocked: false })
  return (
    <div className={styles.bar}>
      <p role="status">
        You blocked {peerName}. Unblock to send messages.
        {isWaiting && !isLive && (
          <small>Waiting for a connection. Until then, new messages may still arrive.</small>
        )}
      </p>
      <Button look="quiet" onClick={() => attempt(unblock(), 'Failed to unblock user')}>
        Unblock
      </Button>
      {failure}
    </div>
  )
}

function isBlockOf(request: { kind: string; userId?: string }, peerId: string): boolean {
  return request.kind === 'block' && request.userId === peerId
}
