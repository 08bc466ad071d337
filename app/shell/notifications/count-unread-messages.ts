import type { ConversationRow } from '../../sync/messenger-types.ts'

/**
 * The number in the title and on the app's badge: unread messages of chats neither muted nor
 * archived.
 */
export function countUnreadMessages(rows: readonly ConversationRow[]): number {
  return rows.reduce(
    (count, row) => (row.isMuted || row.isArchived ? count : count + row.unreadCount),
    0,
  )
}
