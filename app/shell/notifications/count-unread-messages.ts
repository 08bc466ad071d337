import type { UnreadChat } from '../../database/storage/inbox.ts'
import type { ConversationRow } from '../../sync/messenger-types.ts'

/**
 * The number in the title and on the app's badge: unread messages of chats neither muted nor
 * archived.
 */
export function countUnreadMessages(rows: readonly ConversationRow[]): number {
  return listUnreadChats(rows).reduce((sum, { count }) => sum + count, 0)
}

/** The same for the service worker, which goes on counting from there. */
export function listUnreadChats(rows: readonly ConversationRow[]): UnreadChat[] {
  return rows.flatMap(({ peerId, unreadCount, isMuted, isArchived, lastMessage }) =>
    isMuted || isArchived || unreadCount === 0
      ? []
      : [{ peerId, count: unreadCount, upTo: lastMessage?.orderedAt ?? 0 }],
  )
}
