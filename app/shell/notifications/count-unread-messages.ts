import type { ConversationRow } from '../../sync/messenger-types.ts'

/** The number on the title and on the app's badge: what waits in chats that are neither muted nor archived. */
export function countUnreadMessages(rows: readonly ConversationRow[]): number {
  return rows.reduce(
    (count, row) => (row.isMuted || row.isArchived ? count : count + row.unreadCount),
    0,
  )
}
