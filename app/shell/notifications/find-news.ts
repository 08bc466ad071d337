import type { MessageDocument } from '../../../schema/message.ts'
import type { ConversationRow } from '../../sync/messenger-types.ts'

export interface News {
  row: ConversationRow
  message: MessageDocument
}

/** What a row has to say to somebody who is away; nothing from muted or archived chats, and nothing twice. */
export function findNews(
  before: readonly ConversationRow[],
  now: readonly ConversationRow[],
): News[] {
  const known = new Map(before.map((row) => [row.peerId, row]))
  return now.flatMap((row) => {
    const message = row.lastMessage
    if (!message || row.isMuted || row.isArchived || row.unreadCount === 0) return []
    if (message.senderId !== row.peerId || message.deletedAt !== undefined) return []
    // Unread count and newest message arrive one after the other, in either order: only the place tells.
    const earlier = known.get(row.peerId)?.lastMessage
    return message.orderedAt > (earlier?.orderedAt ?? 0) ? [{ row, message }] : []
  })
}
