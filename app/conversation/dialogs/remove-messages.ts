import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** Deletes them all, a single one so that it can be undone, and gives back those that could not be deleted on this device. */
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
