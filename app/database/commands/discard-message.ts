import { blankDeleted, isAccepted } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/** Gives up an own message that was never sent or was refused; a sent one stays as it is. */
export async function discardMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.senderId !== context.userId || isAccepted(message) || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() }),
  )
}
