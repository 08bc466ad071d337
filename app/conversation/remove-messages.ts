import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { MessengerCommands } from '../sync/messenger.ts'

/** What nobody has received is taken back; everything else is deleted for both. */
export function removeMessage(
  commands: MessengerCommands,
  message: MessageDocument,
): Promise<void> {
  return isAccepted(message)
    ? commands.deleteMessage(message._id)
    : commands.discardMessage(message._id)
}

/** Deletes them all, and gives back those that could not be deleted on this device. */
export async function removeMessages(
  commands: MessengerCommands,
  messages: readonly MessageDocument[],
): Promise<MessageDocument[]> {
  const outcomes = await Promise.allSettled(
    messages.map((message) => removeMessage(commands, message)),
  )
  return messages.filter((_, index) => outcomes[index]?.status === 'rejected')
}
