import type { MessageDocument } from '../../../schema/message.ts'
import type { ConversationRow } from '../../sync/messenger-types.ts'

export interface News {
  row: ConversationRow
  message: MessageDocument
}

/** The messages of a row to notify about; none from muted or archived chats, and none twice. */
export function findNews(
  before: readonly ConversationRow[],
  now: readonly ConversationRow[],
): News[] {
  const known = new Map(before.map((row) => [row.peerId, row]))
  return now.flatMap((row) => {
    const message = row.lastMessage
    if (!message || row.isMuted || row.isArchived || row.unreadCount === 0) return []
    if (message.senderId !== row.peerId || message.deletedAt !== undefined) return []
    // Unread count and newest message arrive separately, in either order: only the message's place
    // decides.
    const earlier = known.get(row.peerId)?.lastMessage
    return message.orderedAt > (earlier?.orderedAt ?? 0) ? [{ row, message }] : []
  })
}
