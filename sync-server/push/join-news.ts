import { pushLimits } from '../../schema/api/push.ts'

interface Counted {
  messageIds: readonly string[]
  count: number
  queuedAt: number
}

/** The news of both in one, the later last; a message that both name counts once. */
export function joinNews<T extends Counted>(before: T, after: T): T {
  const fresh = after.messageIds.filter((id) => !before.messageIds.includes(id))
  return {
    ...after,
    messageIds: [...before.messageIds, ...fresh].slice(-pushLimits.messageIdsMax),
    count: before.count + after.count - (after.messageIds.length - fresh.length),
    queuedAt: before.queuedAt,
  }
}
