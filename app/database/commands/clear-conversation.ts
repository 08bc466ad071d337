import type { CommandContext } from '../storage/command-context.ts'
import { findNewestMessage } from '../storage/find-newest-message.ts'
import { listTally } from '../storage/list-tally.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { failedTally, pendingTally } from '../storage/stored-message.ts'
import { changeConversation } from './change-conversation.ts'
import { discardMessage } from './discard-message.ts'

/**
 * Hides a conversation's messages from this person, on all devices; the other person keeps them.
 * Discards what the other person does not have yet: sent later, it would begin the chat again.
 * @param upTo the last hidden place; by default everything present now
 */
export async function clearConversation(
  context: CommandContext,
  peerId: string,
  upTo?: number,
): Promise<void> {
  const place = upTo ?? (await findClearPlace(context, peerId))
  const { messages } = context.database
  const unsent = await Promise.all(
    [pendingTally, failedTally].map((one) => listTally(messages, one)),
  )
  for (const message of unsent.flat()) {
    if (message.peerId !== peerId || message.orderedAt > place) continue
    await discardMessage(context, message._id)
  }
  await changeConversation(context.database.conversations, peerId, (conversation) => {
    if (conversation.clearedUpTo >= place) return conversation
    // Sends no read receipt: what was never opened is unread.
    return { ...conversation, clearedUpTo: place }
  })
}

/** A conversation's last place now. */
export async function findClearPlace(
  { database }: CommandContext,
  peerId: string,
): Promise<number> {
  const newest = await findNewestMessage(database.messages, peerId)
  const found = await readDocuments(database.conversations, [peerId])
  return Math.max(newest?.orderedAt ?? 0, found.get(peerId)?.lastMessageAt ?? 0)
}
