import type { ConversationRow } from '../../sync/messenger-types.ts'

/** The number of unread chats in the list; muted ones do not count. */
export function countUnreadChats(rows: readonly ConversationRow[]): number {
  return rows.filter((row) => row.unreadCount > 0 && !row.isArchived && !row.isMuted).length
}
