import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/** Sends a refused message again, under the same id and as a new attempt. */
export async function retryMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.status === 'failed' &&
    message.deletedAt === undefined &&
    message.senderId === context.userId
      ? sendAgain(message)
      : message,
  )
}

/** A refused message's next attempt: a higher attempt outranks any outcome of the previous one. */
export function sendAgain(message: MessageDocument): MessageDocument {
  const { error, errorCode, mediaUrl, ...rest } = message
  // The server no longer has this file: this device uploads it again.
  const isLost = errorCode === 'media_not_allowed' && message.file !== undefined
  const address = mediaUrl === undefined || isLost ? {} : { mediaUrl }
  return { ...rest, ...address, status: 'sending', attempt: message.attempt + 1 }
}
