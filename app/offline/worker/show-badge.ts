import type { Inbox, UnreadChat } from '../../database/inbox/inbox.ts'
import type { WorkerScope } from './worker-scope.ts'

/** Changes what the badge counts, and shows it. */
export async function changeUnread(
  { navigator }: Pick<WorkerScope, 'navigator'>,
  inbox: Pick<Inbox, 'readUnread' | 'setUnread'>,
  change: (before: readonly UnreadChat[]) => UnreadChat[],
): Promise<void> {
  const chats = change(await inbox.readUnread().catch(() => []))
  await inbox.setUnread(chats).catch(() => {})
  const count = chats.reduce((sum, each) => sum + each.count, 0)
  await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())
}
