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

/** The next attempt of a refused message: a higher attempt outranks whatever the one before came to. */
export function sendAgain(message: MessageDocument): MessageDocument {
  const { error, errorCode, mediaUrl, ...rest } = message
  // The server has no such file any more: it is uploaded again, from this device.
  const isLost = errorCode === 'media_not_allowed' && message.file !== undefined
  const address = mediaUrl === undefined || isLost ? {} : { mediaUrl }
  return { ...rest, ...address, status: 'sending', attempt: message.attempt + 1 }
}
