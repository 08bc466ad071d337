import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage, laterThan } from './change-message.ts'

/** Stars or unstars a message in this person's copy only. */
export async function setStarred(
  context: CommandContext,
  change: { messageId: string; isStarred: boolean },
): Promise<void> {
  const { database, now } = context
  const { messageId, isStarred } = change
  await changeMessage(database.messages, messageId, (message) =>
    message.isStarred === isStarred || message.deletedAt !== undefined
      ? message
      : { ...message, isStarred, isStarredAt: laterThan(now(), message.isStarredAt) },
  )
}
