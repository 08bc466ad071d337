import { isAccepted } from '../../../schema/message.ts'
import { react } from '../../../schema/react.ts'
import { isReaction } from '../../../schema/reaction.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/** Sets this person's reaction to a message that both people have; empty removes it. */
export async function setReaction(
  { userId, database, now }: CommandContext,
  change: { messageId: string; emoji: string },
): Promise<void> {
  const { messageId, emoji } = change
  if (!isReaction(emoji)) return
  await changeMessage(database.messages, messageId, (message) => {
    const isThere = (message.reactions?.[userId]?.emoji ?? '') === emoji
    return isThere || message.deletedAt !== undefined || !isAccepted(message)
      ? message
      : react(message, { userId, emoji, now: now() })
  })
}
