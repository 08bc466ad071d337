import type { Messenger } from '../../sync/messenger-types.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'

/** Why nothing can be written to a person: their account was deleted, or the reader blocks them. */
export type WriteObstacle = 'deleted' | 'blocked'

export function useWriteObstacle(
  messenger: Pick<Messenger, 'users' | 'blocked'>,
  peerId: string,
): WriteObstacle | undefined {
  const peer = useLiveValue(messenger.users.get(peerId))
  const isBlocked = useLivePart(messenger.blocked, (ids) => ids.includes(peerId))
  if (peer?.isDeleted) return 'deleted'
  return isBlocked ? 'blocked' : undefined
}
