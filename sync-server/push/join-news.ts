import { pushLimits } from '../../schema/api/push.ts'

interface Counted {
  messageIds: readonly string[]
  count: number
  queuedAt: number
  isRead?: true
}

/** The news of both in one, the later last; a message that both name counts once. */
export function joinNews<T extends Counted>(before: T, after: T): T {
  const fresh = after.messageIds.filter((id) => !before.messageIds.includes(id))
  const isFirst = before.messageIds.length === 0 && fresh.length > 0
  return {
    ...before,
    ...after,
    messageIds: [...before.messageIds, ...fresh].slice(-pushLimits.messageIdsMax),
    count: before.count + after.count - (after.messageIds.length - fresh.length),
    queuedAt: isFirst ? after.queuedAt : before.queuedAt,
  }
}
