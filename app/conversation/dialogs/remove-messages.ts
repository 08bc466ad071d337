import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/**
 * Deletes all of them, a single one with Undo, and returns those that this device could not delete.
 */
export async function removeMessages(
  { commands, undo }: Pick<Messenger, 'commands' | 'undo'>,
  messages: readonly MessageDocument[],
): Promise<MessageDocument[]> {
  const outcomes = await Promise.allSettled(
    messages.map((message) =>
      messages.length === 1 ? undo.removeMessage(message) : commands.deleteMessage(message._id),
    ),
  )
  return messages.filter((_, index) => outcomes[index]?.status === 'rejected')
}
