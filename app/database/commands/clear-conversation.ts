import { changeConversation } from '../change-conversation.ts'
import { findNewestMessage } from '../find-newest-message.ts'
import type { CommandContext } from './command-context.ts'

/** Hides everything that a conversation holds now from this person, on all devices; the other keeps it. */
export async function clearConversation(context: CommandContext, peerId: string): Promise<void> {
  const { database } = context
  const newest = await findNewestMessage(database.messages, peerId)
  await changeConversation(database.conversations, peerId, (conversation) => {
    const upTo = Math.max(newest?.orderedAt ?? 0, conversation.lastMessageAt)
    if (conversation.clearedUpTo >= upTo) return conversation
    // No read receipt goes out: what was never opened has not been read.
    return { ...conversation, clearedUpTo: upTo }
  })
}
