import type { MessageDocument } from '../../schema/message.ts'
import type { MessengerCommands } from '../sync/messenger.ts'

/** Deletes them all, and gives back those that could not be deleted on this device. */
export async function removeMessages(
  commands: MessengerCommands,
  messages: readonly MessageDocument[],
): Promise<MessageDocument[]> {
  const outcomes = await Promise.allSettled(
    messages.map((message) => commands.deleteMessage(message._id)),
  )
  return messages.filter((_, index) => outcomes[index]?.status === 'rejected')
}
