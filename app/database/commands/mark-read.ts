import type { CommandContext } from '../storage/command-context.ts'
import { findNewestIncoming } from '../storage/find-newest-message.ts'
import { changeConversation } from './change-conversation.ts'

/**
 * Marks a conversation's messages as read: all, or up to a place (`orderedAt`). Marks only rise.
 */
export async function markRead(
  { database }: CommandContext,
  { peerId, place }: { peerId: string; place?: number | undefined },
): Promise<void> {
  const upTo = place ?? (await findNewestIncoming(database.messages, peerId))?.orderedAt
  if (upTo === undefined) return
  await changeConversation(database.conversations, peerId, (conversation) =>
    conversation.readUpTo >= upTo
      ? conversation
      : {
          ...conversation,
          readUpTo: upTo,
          deliveredUpTo: Math.max(conversation.deliveredUpTo, upTo),
        },
  )
}
