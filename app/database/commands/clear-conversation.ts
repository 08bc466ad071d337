import type { CommandContext } from '../storage/command-context.ts'
import { findNewestMessage } from '../storage/find-newest-message.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { changeConversation } from './change-conversation.ts'

/**
 * Hides what a conversation holds from this person, on all devices; the other keeps it.
 * @param upTo the last place that is hidden; without one all that it holds now
 */
export async function clearConversation(
  context: CommandContext,
  peerId: string,
  upTo?: number,
): Promise<void> {
  const place = upTo ?? (await findClearPlace(context, peerId))
  await changeConversation(context.database.conversations, peerId, (conversation) => {
    if (conversation.clearedUpTo >= place) return conversation
    // No read receipt goes out: what was never opened has not been read.
    return { ...conversation, clearedUpTo: place }
  })
}

/** The last place that a conversation has now. */
export async function findClearPlace(
  { database }: CommandContext,
  peerId: string,
): Promise<number> {
  const newest = await findNewestMessage(database.messages, peerId)
  const found = await readDocuments(database.conversations, [peerId])
  return Math.max(newest?.orderedAt ?? 0, found.get(peerId)?.lastMessageAt ?? 0)
}
