import type { ConversationRow } from '../../sync/messenger-types.ts'

/** How many chats of the list hold something unread; muted ones ask for nothing. */
export function countUnreadChats(rows: readonly ConversationRow[]): number {
  return rows.filter((row) => row.unreadCount > 0 && !row.isArchived && !row.isMuted).length
}
