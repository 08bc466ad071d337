import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { isAccepted } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/** Discards an own unsent or refused message; leaves a sent one alone. */
export async function discardMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.senderId !== context.userId || isAccepted(message) || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() }),
  )
}
