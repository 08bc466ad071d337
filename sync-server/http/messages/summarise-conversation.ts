import type { ConversationStats } from '../../../schema/conversation-answer.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { toIso } from '../to-iso.ts'

/** Counts what a conversation holds for its owner. @param pages the messages, newest first */
export async function summariseConversation(
  pages: AsyncIterable<readonly MessageDocument[]>,
  owner: { ownerId: string; readUpTo: number },
): Promise<ConversationStats> {
  const { ownerId, readUpTo } = owner
  const stats = { total: 0, sent: 0, received: 0, unread: 0, starred: 0, media: 0 }
  let newest: MessageDocument | undefined
  let oldest: MessageDocument | undefined
  for await (const page of pages) {
    newest ??= page[0]
    oldest = page.at(-1) ?? oldest
    for (const { senderId, orderedAt, deletedAt, isStarred, mediaUrl } of page) {
      const isOwn = senderId === ownerId
      stats.total += 1
      stats.sent += Number(isOwn)
      stats.received += Number(!isOwn)
      stats.unread += Number(!isOwn && orderedAt > readUpTo && deletedAt === undefined)
      stats.starred += Number(isStarred)
      stats.media += Number(mediaUrl !== undefined)
    }
  }
  return {
    ...stats,
    firstMessageAt: oldest ? toIso(oldest.orderedAt) : null,
    lastMessageAt: newest ? toIso(newest.orderedAt) : null,
  }
}
