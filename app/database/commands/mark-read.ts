import { changeConversation } from '../change-conversation.ts'
import { findNewestIncoming } from '../find-newest-message.ts'
import type { CommandContext } from './command-context.ts'

/** Marks everything that has arrived in a conversation as read. Marks only rise. */
export async function markRead(context: CommandContext, peerId: string): Promise<void> {
  const { database } = context
  const newest = await findNewestIncoming(database.messages, peerId)
  if (!newest) return
  const upTo = newest.orderedAt
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
